"""Plain arithmetic, one concern a file: closed forms that take numbers (or NumPy arrays) and return numbers."""
