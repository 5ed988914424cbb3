"""Encoder-decoders: T5, BART, T5Gemma, Whisper."""
