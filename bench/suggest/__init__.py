"""What suggestions save against labelling by chance: `make bench-suggest`."""
