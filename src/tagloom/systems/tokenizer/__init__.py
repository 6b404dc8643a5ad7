"""Tokenizers that are learned: boundaries of tokens and sentences as labels of characters."""
