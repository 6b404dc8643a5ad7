"""Micro benchmarks of the core: `make bench-core`.

The core of a base revision is built beside the one of the working tree, and both run in turns on the same machine in
the same run, so that only the code differs. ``cases`` has the benchmarks, ``worker`` runs them in a process per core,
``build`` builds the cores, ``verdict`` says what got slower.
"""
