"""Python functions of the estimates as JavaScript, so that the page evaluates the one definition and no copy of it."""
