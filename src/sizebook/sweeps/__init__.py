"""Tables of estimates, a row each, read and written in pieces."""

from sizebook.core.extras import need

need("sweep")
