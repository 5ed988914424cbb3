"""Models that see or hear: a language model behind its towers."""
