"""The sizes of one model: parameters by part, bytes, and the count to compare with."""
