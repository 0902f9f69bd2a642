"""A study in one file, run to its end: what to run, what was run, what is left. Only ``ray`` needs Ray."""
