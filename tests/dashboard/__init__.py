"""The page of models: its data, own models, and what a browser makes of it."""
