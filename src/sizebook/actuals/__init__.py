"""What really happened: traffic from logs, money from bills, and why a month was not as planned."""

from sizebook.core.extras import need

need("sweep")
