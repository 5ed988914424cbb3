"""Command lines of the scripts here: `--help` says what a script does, and what it does not know starts no fit."""

import argparse


def parser(about: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is what stands at the head of a script."""
    return argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
