"""The plan of several services that share a fleet."""
