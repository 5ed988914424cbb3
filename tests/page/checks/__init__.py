"""Checks of the page in a browser, by topic; `python -m tests.page.browser` runs them."""
