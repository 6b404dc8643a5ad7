"""The command line: parse, call the Python interface, print. Data goes to stdout, everything else to stderr."""

from tagloom.cli.main import main

__all__ = ["main"]
