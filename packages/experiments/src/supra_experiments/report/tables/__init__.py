"""The tables of a report: the paper's own over cells, and those of the study."""
