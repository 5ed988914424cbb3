"""Look-ups in the tables of `data/`: accelerators, prices and carbon of the grid."""
