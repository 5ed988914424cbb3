"""Decoders: Llama's line, GPT-2's line, mixtures of experts, latent and sparse attention, hybrids with states."""
