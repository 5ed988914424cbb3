"""What a model is, how its config.json is read, and the exact counts that follow."""
