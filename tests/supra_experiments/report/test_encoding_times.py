"""Times of encodings that were measured apart stand in a report in place of the runs' own."""

import json

import pytest

from supra_experiments.errors import ExperimentError
from supra_experiments.report.findings import on_cost
from supra_experiments.report.records import read_encoding_times, read_inputs
from supra_experiments.report.study import Study
from supra_experiments.report.tables import dataset_gain_table, exact_cost_table

from ..report_records import small_study, write

ROUNDS = 8


def measured(path, ratio):
    """A file as of ``supra bench encodings``: SLPE-E takes ``ratio`` times as long as SLPE-I, nearly."""
    seconds = {
        "slpe-i": [0.5 + 0.01 * turn for turn in range(ROUNDS)],
        "slpe-e": [ratio * (0.5 + 0.01 * turn) + 0.001 * turn for turn in range(ROUNDS)],
    }
    records = [
        {"dataset": dataset, "pe": pe, "seconds": times, "num_matvecs": 9, "max_residual": 1e-9}
        for dataset in ("enron10", "dblp")
        for pe, times in seconds.items()
    ]
    path.write_text(json.dumps({"records": records, "machine": {}, "commit": "abc"}))
    return path


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [
        (0.9, "the better default"),
        (1.6, "2.7 % of the time of training"),
        (9, "it takes longer"),
        (1.0, "at no extra cost"),
    ],
)
def test_they_decide_which_is_the_better_default(tmp_path, ratio, verdict):
    inputs = read_inputs([write(tmp_path / "runs.jsonl", small_study())])
    study = Study.of(inputs, encoding_times=read_encoding_times(measured(tmp_path / "encodings.json", ratio)))
    found = on_cost(study)
    assert verdict in found
    assert ("the better default" in found) == (ratio < 9)
    assert f"{2 * ROUNDS} pairs on dblp, enron10" in found
    pairs = exact_cost_table(study)
    assert "timed apart" in dataset_gain_table(study).note
    assert [row.cells[-1].number for row in pairs.rows()] == [ROUNDS, ROUNDS, 2 * ROUNDS]
    # The run itself keeps the time that it took.
    assert study.runs["encoding_seconds"].tolist() != study.priced["encoding_seconds"].tolist()
    slpe = study.priced[(study.priced["pe"] == "slpe-i") & (study.priced["dataset"] == "dblp")]
    assert len(slpe)
    assert slpe["encoding_seconds"].tolist() == pytest.approx([0.535] * len(slpe))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        ("{", "must be a file of `supra bench encodings`"),
        ("[1]", "must be a file of"),
        ('{"records": [{"dataset": "dblp"}]}', "must be a file of"),
        ('{"records": []}', "no measurements"),
    ],
)
def test_other_files_are_refused(tmp_path, text, message):
    path = tmp_path / "times.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ExperimentError, match=message):
        read_encoding_times(path)
