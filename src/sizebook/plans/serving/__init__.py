"""The plan of one service: how many GPUs a stream of requests needs, and what they cost."""
