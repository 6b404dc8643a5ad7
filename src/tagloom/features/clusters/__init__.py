"""Clusters of words that are made from raw text or from vectors, and written in the format of Brown clusters."""
