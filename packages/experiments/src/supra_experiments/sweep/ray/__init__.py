"""The part of a sweep that is done by Ray Tune."""
