"""The command line: parse, call the Python interface, print. Data goes to stdout, everything else to stderr."""

import sys

from tagloom.errors import is_out_of_memory

try:
    from tagloom.cli.main import main
except (MemoryError, ImportError) as error:
    if not is_out_of_memory(error):
        raise

    def main() -> int:
        """Say that the modules of the command do not fit into memory, and return the exit code."""
        sys.stderr.write("tagloom: error: not enough memory to start\n")
        return 2


__all__ = ["main"]
