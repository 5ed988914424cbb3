"""The one guard of files from outside: what is read is a regular file within stated limits, whatever it claims."""
