"""Which records a report is made from, and what it says about those it leaves out."""

import dataclasses
import gzip

import pytest

from supra_experiments.errors import ExperimentError
from supra_experiments.report.records import read_inputs

from ..report_records import record, small_study, unlearned, write


def test_files_folders_and_compressed_files(tmp_path):
    records = small_study()
    write(tmp_path / "a.jsonl", records[:5])
    folder = tmp_path / "folder" / "deep"
    write(folder / "b.jsonl", records[5:10])
    text = "".join(each.to_json() + "\n" for each in records[10:])
    (folder / "c.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "notes.txt").write_text("not for us")
    inputs = read_inputs([tmp_path / "a.jsonl", tmp_path / "folder"])
    assert [each.to_json() for each in inputs.records.values()] == [each.to_json() for each in records]
    assert [path.name for path in inputs.files] == ["a.jsonl", "b.jsonl", "c.jsonl.gz"]
    assert inputs.remarks() == []


def test_a_folder_is_its_files_and_says_what_is_inside(tmp_path):
    records = small_study()
    write(tmp_path / "a.jsonl", records[:5])
    write(tmp_path / "held_out" / "b.jsonl", records[5:10])
    (tmp_path / "figures").mkdir()
    inputs = read_inputs([tmp_path])
    assert [path.name for path in inputs.files] == ["a.jsonl"]
    assert inputs.remarks() == ["folders inside that were not named, not read: held_out"]
    both = read_inputs([tmp_path, tmp_path / "held_out"])
    assert [path.name for path in both.files] == ["a.jsonl", "b.jsonl"]
    assert both.remarks() == []


def test_two_settings_of_one_cell_are_kept_apart(tmp_path):
    a = write(
        tmp_path / "a.jsonl",
        [
            *unlearned("dblp"),
            *(record(60.0 - 10 * seed, dataset="dblp", seed=seed, lr=0.02) for seed in (0, 1)),
        ],
    )
    b = write(tmp_path / "b.jsonl", [record(61.0, dataset="dblp", lr=0.5, max_epochs=9)])
    inputs = read_inputs([a, b])
    assert sorted(inputs.apart.values()) == ["lr 0.02, max_epochs 500"] * 2 + ["lr 0.5, max_epochs 9"]
    assert "are kept apart" in inputs.remarks()[0]
    chosen = read_inputs([a, b], {"lr": "0.02"})
    assert [each.config.training.lr for each in chosen.records.values() if each.config.model.is_learned] == [
        0.02,
        0.02,
    ]
    assert (len(chosen.records), chosen.apart) == (6, {})
    assert chosen.remarks() == ["1 run with other settings left out"]


def test_a_score_without_learning_depends_on_whether_it_follows(tmp_path):
    a, b = (record(80.0 + follow, dataset="dblp", model="count", follow=follow) for follow in (False, True))
    path = write(tmp_path / "a.jsonl", [a, b])
    with pytest.raises(
        ExperimentError,
        match=r"dblp count: .*\(follow False and True\), in .*a\.jsonl; .* --where follow=True",
    ):
        read_inputs([path])
    [kept] = read_inputs([path], {"follow": "True"}).records.values()
    assert kept.config.data.follow is True


def test_two_names_of_one_model_are_one_run(tmp_path):
    names = {"dataset": "dblp", "features": "zeros"}
    path = write(tmp_path / "a.jsonl", [record(70.0, model=model, **names) for model in ("egcn", "egcn-h")])
    inputs = read_inputs([path])
    assert (len(inputs.records), inputs.num_duplicates, inputs.num_different) == (1, 1, 0)


def test_a_sweep_folder_is_its_records(tmp_path):
    write(tmp_path / "records.jsonl", small_study())
    (tmp_path / "failures.jsonl").write_text('{"digest": "x", "reason": "out of memory"}\n')
    (tmp_path / "search.jsonl").write_text('{"digest": "y"}\n')
    assert [path.name for path in read_inputs([tmp_path]).files] == ["records.jsonl"]


def test_of_a_sweep_those_runs_count_that_its_file_asks_for(tmp_path):
    names = {"dataset": "dblp", "model": "grugcn", "features": "zeros"}
    old, new = (record(70.0, lr=lr, **names) for lr in (0.01, 0.003))
    write(tmp_path / "records.jsonl", [old, *unlearned("dblp"), new])
    (tmp_path / "spec.toml").write_text(
        'name = "s"\nmode = "grid"\n[by_model.grugcn]\nlr = 0.003\n[[block]]\ndatasets = ["dblp"]\n'
        'models = ["grugcn"]\nencodings = ["none"]\nfeatures = ["zeros"]\nseeds = [0]\n'
    )
    inputs = read_inputs([tmp_path])
    assert [each.config.training.lr for each in inputs.records.values() if each.config.model.is_learned] == [
        0.003
    ]
    assert inputs.remarks() == ["1 run that the sweep no longer asks for left out"]


def test_a_file_named_twice_is_read_once(tmp_path):
    path = write(tmp_path / "a.jsonl", small_study())
    inputs = read_inputs([path, tmp_path, tmp_path / "." / "a.jsonl"])
    assert len(inputs.files) == 1
    assert inputs.num_duplicates == 0


def test_duplicates_count_once_and_are_said(tmp_path):
    records = small_study()
    again = record(99.0, dataset="enron10", model="egcn-h", features="one-hot", pe="none", seed=0)
    a = write(tmp_path / "a.jsonl", records)
    b = write(tmp_path / "b.jsonl", [records[3], again])
    inputs = read_inputs([a, b])
    assert len(inputs.records) == len(records)
    assert (inputs.num_duplicates, inputs.num_different) == (2, 1)
    assert inputs.remarks() == [
        "2 records of a run that was there already, not counted again; the figures of 1 differ"
    ]


def test_scores_without_learning_do_not_depend_on_settings_of_models(tmp_path):
    other = [record(auc, model=model, dataset="dblp", max_epochs=10) for model, auc in [("degree", 55.0)]]
    path = write(tmp_path / "a.jsonl", unlearned("dblp") + other)
    inputs = read_inputs([path])
    assert (len(inputs.records), inputs.num_duplicates, inputs.num_different) == (4, 1, 0)


def test_a_torn_last_line_is_left_out(tmp_path):
    path = write(tmp_path / "a.jsonl", small_study())
    with path.open("a") as file:
        file.write(record(70.0, seed=9).to_json()[:200])
    inputs = read_inputs([path])
    assert inputs.num_torn == 1
    assert inputs.remarks() == ["1 unfinished last line left out"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", None, "no such file or folder"),
        ("a.csv", b"1,2", "must be a .jsonl or .jsonl.gz file or a folder of them"),
        ("a.jsonl", b"", "no run records"),
        ("a.jsonl", b"\n\n", "no run records"),
        ("a.jsonl", b"hello\n", "line 1: not a run record"),
        ("a.jsonl", b'\n{"config": {}}\n', "line 2: not a run record"),
        ("a.jsonl", b"[1]\n", "line 1: not a run record"),
        ("a.jsonl", b"\xff\xfe", "cannot be read"),
        ("a.jsonl.gz", b"not gzip", "cannot be read"),
        ("a.jsonl.gz", gzip.compress(b"x" * 99, mtime=0)[:-9], "cannot be read"),
        ("a.jsonl.gz", gzip.compress(b"x" * 99, mtime=0)[:10] + b"\xff" * 20, "cannot be read"),
        ("folder/notes.txt", b"", "no .jsonl or .jsonl.gz file in this folder"),
    ],
)
def test_mistakes_are_one_line_that_names_the_file(tmp_path, name, content, message):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if content is not None:
        path.write_bytes(content)
    given = tmp_path / "folder" if "/" in name else path
    with pytest.raises(ExperimentError) as caught:
        read_inputs([given])
    assert str(given) in str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nothing_given():
    with pytest.raises(ExperimentError, match="at least one"):
        read_inputs([])


@pytest.mark.parametrize("seed", [0, 1], ids=["the same settings", "another seed"])
@pytest.mark.parametrize(
    ("names", "advice"),
    [
        (["a.jsonl", "a.jsonl"], r"a\.jsonl; give records of one graph"),
        (["a.jsonl", "b.jsonl"], r"a\.jsonl and .*b\.jsonl; give one of these files, not both"),
    ],
)
def test_two_graphs_by_one_name(tmp_path, names, advice, seed):
    first, second = record(60.0, dataset="mine.csv"), record(61.0, dataset="mine.csv", seed=seed)
    files: dict[str, list] = {}
    for name, each in zip(names, [first, dataclasses.replace(second, graph_digest="another")], strict=True):
        files.setdefault(name, []).append(each)
    paths = [write(tmp_path / name, records) for name, records in files.items()]
    said = r"mine\.csv: records of two different graphs .* in .*" + advice
    with pytest.raises(ExperimentError, match=said):
        read_inputs(paths)
