"""The report: tables beside the paper's, figures, one self-contained HTML page."""
