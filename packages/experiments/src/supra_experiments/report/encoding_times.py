"""What encodings cost, measured apart from the runs: a file of ``supra bench encodings``."""

import json
from pathlib import Path

import pandas as pd

from supra_experiments.analysis.frame import KEYS
from supra_experiments.errors import ExperimentError


def read_encoding_times(path: Path) -> pd.DataFrame:
    """The rounds of the file, one row for each dataset, encoding and round, which stands in place of a seed.

    All encodings took their turn in each round, so that rounds are pairs as seeds are.

    Raises:
        ExperimentError: a file that cannot be read or holds something else.
    """
    try:
        records = json.loads(path.read_text(encoding="utf-8"))["records"]
        rows = [
            (record["dataset"], "", "", record["pe"], turn, float(seconds))
            for record in records
            for turn, seconds in enumerate(record["seconds"])
        ]
    except OSError as error:
        raise ExperimentError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (ValueError, KeyError, TypeError):
        raise ExperimentError(f"{path}: must be a file of `supra bench encodings`") from None
    if not rows:
        raise ExperimentError(f"{path}: no measurements of `supra bench encodings`")
    return pd.DataFrame(rows, columns=[*KEYS, "seed", "encoding_seconds"])


def with_times(runs: pd.DataFrame, times: pd.DataFrame) -> pd.DataFrame:
    """The runs with the median seconds of their encodings as measured apart, where they were.

    Example:
        >>> names = [*KEYS, "seed", "encoding_seconds"]
        >>> cells = [("dblp", "htgn", "zeros", pe, 0, 9.0) for pe in ("none", "slpe-e")]
        >>> rounds = [("dblp", "", "", "slpe-e", turn, 1.0 + turn) for turn in range(3)]
        >>> runs, times = pd.DataFrame(cells, columns=names), pd.DataFrame(rounds, columns=names)
        >>> with_times(runs, times)["encoding_seconds"].tolist()
        [9.0, 2.0]
    """
    medians = times.groupby(["dataset", "pe"])["encoding_seconds"].median()
    own = pd.MultiIndex.from_frame(runs[["dataset", "pe"]])
    measured = pd.Series(medians.reindex(own).to_numpy(), index=runs.index)
    return runs.assign(encoding_seconds=measured.fillna(runs["encoding_seconds"]))
