"""The limits of what a file may hold. They are far above what trainings write, and bound the time and memory of readers."""

from __future__ import annotations

LARGEST_HEADER = 8 << 20  # bytes of the JSON of a file, all metadata included
LONGEST_NAME = 10_000  # characters of a name
LONGEST_TEXT = 1_000_000  # characters of any other text
MOST_COLUMNS = 1000
MOST_FUNCTIONS = 1000  # of the user, of one kind
MOST_TEMPLATES = 10_000  # of one set
MOST_PARTS = 64  # of one template
MOST_RESOURCES = 64
MOST_LISTS = 64  # of one resource: the core keeps one bit per list
MOST_PASSES = 10_000_000  # of a training, and numbers of passes
MOST_RECORDS = 100_000  # passes whose record is kept
MOST_SETTINGS = 1000
MOST_LABELS = 65_536
MOST_CANDIDATES = 100_000  # of one sentence
MOST_PROVIDERS = 32  # models of a line
MOST_STEPS = 1000  # pairs of vectors that a batch learner remembers
LARGEST_SEED = 2**63 - 1
LARGEST_COUNT = 2**62  # of anything that is counted
LARGEST_WEIGHT = 1e28  # absolute value: sums over templates and over a long sentence stay finite

#: Arrays may take this many times the bytes of their file in memory, or SMALL bytes, whichever is more.
MOST_GROWTH = 14
SMALL = 128 << 20


def is_bounded(memory: int, stored: int) -> bool:
    """Whether arrays of ``memory`` bytes may come from a file of ``stored`` bytes."""
    return memory <= SMALL + MOST_GROWTH * stored
