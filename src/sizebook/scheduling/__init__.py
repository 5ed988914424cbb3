"""Runs many pieces of work in parallel: in processes of this machine, or on the workers of a Dask scheduler."""
