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
