"""The plan of one training run: its GPUs, days, money and energy."""
