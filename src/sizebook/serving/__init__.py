"""Serving one replica: its shape, what it holds, and how fast it answers."""
