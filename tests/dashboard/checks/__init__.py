"""Checks of the page in a browser, by topic; `python -m tests.dashboard.browser` runs them."""
