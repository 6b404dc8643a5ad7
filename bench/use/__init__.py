"""Models in use: the latency of one sentence, and memory and speed of tagging large files."""
