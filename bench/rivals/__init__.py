"""Speed and memory beside other tools: `make bench`. One adapter per tool; every measurement has its own process."""
