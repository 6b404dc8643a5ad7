"""How training and tagging grow with the data, and with threads."""
