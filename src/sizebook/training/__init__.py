"""Training: how a model is split over GPUs, what each keeps, and what a step takes."""
