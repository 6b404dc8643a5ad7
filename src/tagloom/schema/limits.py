"""The limits of what a file may hold: far above what trainings write, they bound the time and memory of readers."""

from __future__ import annotations

LARGEST_HEADER = 16 << 20  # bytes of the JSON of a file, all metadata included
LONGEST_NAME = 10_000  # characters of a name
LONGEST_TEXT = 1_000_000  # characters of any other text
MOST_COLUMNS = 1000  # columns of a corpus
MOST_FUNCTIONS = 1000  # functions of the user, of one kind
MOST_TEMPLATES = 10_000  # templates of one set
MOST_PARTS = 64  # parts of one template
MOST_RESOURCES = 1000  # resources of a model
MOST_LISTS = 65_536  # lists of one resource
MOST_PHRASE_LISTS = 64  # lists in the gazetteer of a phrase chunker, which has one bit per list
MOST_PASSES = 2**31 - 1  # passes of a training
MOST_RECORDS = 100_000  # passes whose record is kept
MOST_SETTINGS = 1000  # settings of a learner
MOST_LABELS = 65_536  # labels that have costs
MOST_CANDIDATES = 100_000  # candidates of one sentence
MOST_PROVIDERS = 32  # models of a line
MOST_MEMBERS = 16  # taggers of an ensemble
MOST_STEPS = 1000  # pairs of vectors that a batch learner remembers
LARGEST_SEED = 2**63 - 1  # seed of a training
LARGEST_COUNT = 2**62  # anything that is counted
LARGEST_WEIGHT = 1e28  # absolute value of a weight: sums over templates and over a long sentence stay finite

#: Arrays may take this many times the bytes of their file in memory, or SMALL bytes, whichever is more.
MOST_GROWTH = 14
SMALL = 128 << 20


def is_bounded(memory: int, stored: int) -> bool:
    """Whether arrays of ``memory`` bytes may come from a file of ``stored`` bytes."""
    return memory <= SMALL + MOST_GROWTH * stored
