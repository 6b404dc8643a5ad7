"""Speed and memory beside other tools, one adapter a rival; every measurement runs in a process of its own."""
