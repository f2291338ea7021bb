"""Pure renderers: facts in, rich text out."""
