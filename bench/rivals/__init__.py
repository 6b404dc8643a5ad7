"""Speed, memory and scores beside other tools: `make bench`.

``adapters`` has one file per tool, all with the same interface; ``tasks`` the data and ``templates`` the features that
they share. ``measure`` is one measurement in a process of its own, ``plan`` the list of them, ``summary`` what comes
out of their rounds, ``goals`` what should come out, and ``report`` the files in docs/benchmarks.
"""
