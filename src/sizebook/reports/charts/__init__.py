"""Charts: what they show (`kinds`), and how they are drawn (`draw`)."""
