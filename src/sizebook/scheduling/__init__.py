"""Many pieces of work at once: in processes of this machine, or by the workers of a Dask scheduler."""
