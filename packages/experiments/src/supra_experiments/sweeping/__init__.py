"""Everything of a sweep that needs no Ray: its file, its journal, its searches, one trial of it."""
