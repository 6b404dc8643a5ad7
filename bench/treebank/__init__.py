"""Treebanks from raw text: tagloom's pipeline beside UDPipe 1."""
