"""sizebook from Python: what ``import sizebook as sb`` offers."""
