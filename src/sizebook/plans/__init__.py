"""Plans compose formulas into one frozen result, with every figure's derivation beside it."""
