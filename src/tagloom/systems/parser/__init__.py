"""Dependency parsers: trained on trees, one model file with the tagger whose tags they read."""
