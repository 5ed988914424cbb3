"""What comes from outside: files, folders that travel with the package, the Hub, transformers."""
