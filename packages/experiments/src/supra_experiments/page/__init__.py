"""The demo\x27s page: figures and a template, one self-contained file."""
