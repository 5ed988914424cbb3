"""Charts: what they show (`chart_types`), and how they are drawn (`drawing`)."""
