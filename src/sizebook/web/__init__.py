"""The same plans, workbooks and batches over HTTP: a thin shell for one machine, on loopback unless a token is set."""
