"""Names under which the engine knows what Python works out, and what stands for other things in rewritten formulas."""

OWN = "SIZEBOOK_OWN_"  # before the names under which the engine knows functions that Python works out
FIRST, ONLY, FIT, PART, SPILL = (f"{OWN}{what}" for what in ("FIRST", "ONLY", "FIT", "PART", "SPILL"))
REFUSED, EACH, SERIES = (f"{OWN}{what}" for what in ("REFUSED", "EACH", "SERIES"))
COUNTABLE, SAME_ERROR = (f"{OWN}{what}" for what in ("COUNTABLE", "SAME_ERROR"))
CRITERION, AS_TEXT, COMPARED = (f"{OWN}{what}" for what in ("CRITERION", "AS_TEXT", "COMPARED"))
JOINED, TARGET, PROVED = (f"{OWN}{what}" for what in ("JOINED", "TARGET", "PROVED"))
PLACE = f"{OWN}PLACE"  # stands for what tells a call its cell: the number of the sheet, row and column
OMITTED = '"\ue000"'  # an argument left out between commas; the engine would hand over 0
