"""`python -m sizebook` is the command line."""

from sizebook.cli import main

main()
