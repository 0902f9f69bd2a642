"""The demo: from a temporal graph to a self-contained page."""
