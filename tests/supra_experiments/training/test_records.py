import dataclasses
import gzip
import json
import math
import os
from pathlib import Path

import pytest

from supra_experiments.config import Config
from supra_experiments.errors import ExperimentError
from supra_experiments.protocol.metrics import Metrics
from supra_experiments.training.fit import fit
from supra_experiments.training.record import EpochRecord, RunRecord, Searched, Timings, machine, read_records
from supra_experiments.training.record_file import RecordFile

SAMPLES = Path(__file__).parents[1] / "samples"
RECORD = RunRecord(
    config=Config(dataset="dblp", pe="slpe-e", lr=0.02).resolved(),
    graph_digest="ab" * 32,
    selection="validation_auc",
    best_epoch=2,
    test=Metrics(0.75, 0.5),
    test_new=Metrics(math.nan, math.nan),
    test_new_step=Metrics(0.5, 0.5),
    per_snapshot=(Metrics(0.75, 0.5), Metrics(math.nan, math.nan)),
    num_negatives=(12, 0),
    by_negatives={"uniform": Metrics(0.75, 0.5), "historical": Metrics(math.nan, math.nan)},
    validation=Metrics(0.5, 0.25),
    num_parameters=7,
    history=(EpochRecord(1, 1.5, 0.25, 0.1), EpochRecord(2, 1.0, 0.5, 0.1)),
    timings=Timings(1.0, 2.0, 3.0),
    encoding={"channels": 8, "seconds": 1.0},
    peak_memory=10,
    versions={"python": "3"},
    machine="a processor, 2 cores",
    searched=Searched("held_out_auc", num_trials=12, seconds=34.5),
)


def test_a_record_is_one_line_of_strict_json_and_comes_back():
    line = RECORD.to_json()
    assert "\n" not in line
    json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    back = RunRecord.from_json(line)
    assert back.to_json() == line
    assert back.config == RECORD.config
    assert math.isnan(back.test_new.auc)
    assert back.history == RECORD.history
    assert (back.machine, back.searched) == (RECORD.machine, RECORD.searched)


def test_records_of_earlier_versions_come_back_as_they_were():
    lines = (SAMPLES / "sweep_before" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        record = RunRecord.from_json(line)
        assert (record.machine, record.searched) == ("", None)
        assert not {"machine", "searched"} & json.loads(record.to_json()).keys()


def test_a_record_names_its_machine():
    name, _, cores = machine().rpartition(", ")
    assert name
    assert cores.split()[0] == str(os.cpu_count())
    assert fit(Config(model="degree")).machine == machine()


def test_files_of_records_grow_line_by_line(tmp_path):
    path = tmp_path / "runs" / "all.jsonl"
    real = fit(Config(model="degree"))
    records = RecordFile(path)
    assert records.add(RECORD)
    assert records.add(real)
    assert not records.add(real)
    found = list(read_records(path))
    assert [record.to_json() for record in found] == [RECORD.to_json(), real.to_json()]
    assert found[1].versions["supra-experiments"]


def test_the_outcome_leaves_out_time_memory_and_versions():
    text = json.dumps(RECORD.outcome())
    for word in (
        "timings",
        "peak_memory",
        "versions",
        "machine",
        "searched",
        '"seconds": 0.1',
        '"seconds": 1.0',
    ):
        assert word not in text
    assert "0.75" in text


@pytest.mark.parametrize("line", ["", "{}", "[1]", '{"config": {}}', "not json"])
def test_what_is_no_record_is_refused(line):
    with pytest.raises(ExperimentError, match="not a run record"):
        RunRecord.from_json(line)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ExperimentError, match="cannot be read"):
        list(read_records(tmp_path / "none.jsonl"))


def test_compressed_files_are_read(tmp_path):
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress((RECORD.to_json() + "\n").encode()))
    assert [record.to_json() for record in read_records(path)] == [RECORD.to_json()]
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ExperimentError, match="cannot be read"):
        list(read_records(path))


def test_a_torn_last_record_is_put_aside(tmp_path):
    path = tmp_path / "runs.jsonl"
    line = RECORD.to_json()
    path.write_text(f"{line}\n{line[:40]}")
    with pytest.raises(ExperimentError, match=r"runs\.jsonl: the last line is torn"):
        list(read_records(path))
    records = RecordFile(path)
    assert [record.to_json() for record in records.records] == [line]
    assert "torn" in records.notes[0]
    assert path.read_text() == line + "\n"


def test_a_line_that_is_no_record_is_named_with_its_file(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(f'{RECORD.to_json()}\n{{"config": {{}}}}\n')
    for read in (RecordFile, lambda path: list(read_records(path))):
        with pytest.raises(ExperimentError, match=r"runs\.jsonl.+line 2: not a run record"):
            read(path)


def test_several_processes_may_add_to_one_file(tmp_path):
    path = tmp_path / "runs.jsonl"
    seeds = [dataclasses.replace(RECORD, config=RECORD.config.replace(seed=seed)) for seed in range(5)]
    first, second = RecordFile(path, shared=True), RecordFile(path, shared=True)
    assert first.add(seeds[0])
    assert second.add(seeds[1])
    assert second.add(seeds[2])
    assert first.add(seeds[3])
    assert not first.add(seeds[2]), "what the other one added is known by now"
    assert second.get(seeds[3].config, RECORD.graph_digest) is None, "but is looked for only when adding"
    assert second.add(seeds[4])
    assert [record.config.training.seed for record in read_records(path)] == [0, 1, 2, 3, 4]


def test_other_ends_of_lines_than_newlines_are_text(tmp_path):
    path = tmp_path / "runs.jsonl"
    odd = dataclasses.replace(RECORD, config=RECORD.config.replace(dataset="a\u2028b.csv"))
    path.write_text(json.dumps(odd.to_dict(), ensure_ascii=False) + "\n", encoding="utf-8")
    assert [record.config for record in read_records(path)] == [odd.config]
