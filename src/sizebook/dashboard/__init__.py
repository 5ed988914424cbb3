"""The catalog of models as one page that stands alone: table, charts, comparison and calculator, no network."""
