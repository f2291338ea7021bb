"""Textual widgets drawn line by line."""
