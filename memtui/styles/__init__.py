"""Style sheet and themes of the app."""
