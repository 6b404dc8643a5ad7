"""Segments: semi-Markov models (Sarawagi & Cohen 2004), which score whole segments beside their labels."""
