"""Checks that every system must pass. Run them over a system of your own."""
