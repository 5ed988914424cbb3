"""What every room stands on: errors, quantities, the registry, cells, units, tables and derivations."""
