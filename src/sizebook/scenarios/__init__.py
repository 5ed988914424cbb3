"""Scenario files (TOML, rows of tables) as the inputs of plans."""
