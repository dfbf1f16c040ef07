"""Compiled code that problems, orderings and updates share."""
