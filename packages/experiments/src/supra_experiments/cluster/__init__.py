"""Joining or starting a Ray cluster."""
