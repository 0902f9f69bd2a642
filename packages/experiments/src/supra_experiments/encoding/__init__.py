"""Encodings as models and files take them: from settings to tensors, many windows on a cluster."""
