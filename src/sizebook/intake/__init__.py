"""Guards every file from outside: only regular files within stated limits are read."""
