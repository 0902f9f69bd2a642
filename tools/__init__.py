"""Scripts for those who work on this repository: `make help` lists them."""
