"""View state without Textual: selection, settings, documents, live reducers."""
