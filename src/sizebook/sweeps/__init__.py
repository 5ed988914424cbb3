"""Tables of estimates, a row each, read and written in pieces."""
