"""What advice may stand on: cells of the paper, of the study and of the user."""

import math

import pandas as pd
import pytest

from supra_experiments.analysis import evidence as evidence_module
from supra_experiments.analysis.evidence import (
    evidence,
    own_runs,
    study_cells,
    write_study_cells,
)
from supra_experiments.analysis.frame import cells, runs
from supra_experiments.analysis.graph_statistics import (
    training_statistics,
)
from supra_experiments.datasets import load
from supra_experiments.errors import ExperimentError

from ..made_up import record, small_file


def test_evidence_holds_what_can_be_advised():
    given = [
        record(),
        record(seed=1),
        record(model="count"),
        record(features="mine.csv"),
        record(math.nan, pe="lpe-e"),
    ]
    found = evidence(given, paper=False, study=False)
    assert found.values.tolist() == [["yours", "dblp", "htgn", "one-hot", "none", 75.0, 0.0, 2]]
    assert len(evidence(given, study=False)) == 337


def test_cells_of_the_study_come_back_as_they_were(tmp_path, monkeypatch):
    records = [
        record(),
        record(0.5, seed=1),
        record(model="count"),
        record(0.25, pe="slpe-i", features="zeros"),
    ]
    monkeypatch.setattr(evidence_module, "STUDY_FILE", str(tmp_path / "study.csv"))
    assert study_cells().empty
    assert evidence(paper=False).empty
    write_study_cells(evidence_module.STUDY_FILE, records)
    pd.testing.assert_frame_equal(study_cells(), cells(runs(records)), check_dtype=False)
    assert set(evidence().source) == {"study", "paper"}
    with pytest.raises(ExperimentError, match="records: must hold"):
        write_study_cells(tmp_path / "none.csv", [])


def test_runs_belong_to_graphs_not_to_names(tmp_path):
    mine = small_file(tmp_path)
    other = tmp_path / "other.csv"
    other.write_text("a,b,0\nb,c,1\na,c,2\n")
    dataset = load(mine)
    here, there = dataset.graph.digest, load(other).graph.digest
    given = [
        record(digest=here, dataset="moved/away.csv"),
        record(digest="ff" * 32, dataset=str(mine)),  # the file was another one then
        record(digest=there, dataset=str(other)),
        record(digest="ff" * 32, dataset=str(other)),
        record(digest=here, dataset="gone.csv", seed=1),
        record(digest="ff" * 32, dataset="gone.csv"),
        record(dataset="COLAB"),
    ]
    found = own_runs(given, dataset)
    assert [r.config.data.dataset for r in found.records] == [str(mine), str(other), str(mine), "dblp"]
    assert found.statistics == {str(other): training_statistics(load(other))}
    assert found.left_out == {str(mine): 1, str(other): 1, "gone.csv": 1}
