"""Closed forms, bounds and slopes for example orderings in SGD, with their proofs in ``theory/notes``."""
