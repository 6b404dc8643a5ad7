"""Speed and memory of the learners: `make bench-learners`."""
