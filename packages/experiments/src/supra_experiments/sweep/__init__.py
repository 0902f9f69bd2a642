"""``supra sweep``: the runs of a study as trials of Ray Tune, on one machine or a cluster.

All of a sweep that needs Ray is here; the rest, from the file that says what to run to the journal of what
was run, is in :mod:`supra_experiments.sweeping`.
"""

from supra_experiments.sweep.run import run_sweep

__all__ = ["run_sweep"]
