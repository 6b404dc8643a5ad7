"""Tokenizers that are learned: boundaries of tokens as labels of characters, those of sentences as labels of tokens."""
