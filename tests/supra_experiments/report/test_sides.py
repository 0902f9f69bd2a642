"""Runs at default settings, at others, and after a search in one report: columns, sentences, every format."""

import dataclasses
import json

import pytest

from supra_experiments.analysis import paper_cells
from supra_experiments.analysis.claims import headline_claims
from supra_experiments.analysis.frame import KEYS
from supra_experiments.report.records import read_inputs
from supra_experiments.report.study import Study
from supra_experiments.training.record import Searched, Timings
from supra_experiments.words import p_text, points

from ..report_parser import ParsedPage
from ..report_records import like_the_paper, record, small_study, unlearned, write
from ..report_texts import build
from .test_report import check_latex, check_markdown

DATASETS = ("dblp", "enron10")
SEARCHED = Searched("held_out_auc", 12, 600.0)
HEADER = [
    *("dataset", "model", "features", "encoding", "at default settings", "after search", "paper"),
    *("default − paper", "searched − paper", "runs, default", "runs, searched"),
]


def shifted(records, by, **changes):
    """The same runs with other figures."""
    for each in records:
        test = dataclasses.replace(each.test, auc=each.test.auc + by / 100)
        by_negatives = {**each.by_negatives, "uniform": test}
        yield dataclasses.replace(each, test=test, by_negatives=by_negatives, **changes)


def both_kinds():
    """Cells of the paper less 4 points with defaults; three models again after search, plus a point.

    Every second search found the defaults best, so that its records have the settings of the others.
    """
    theirs = [each for each in like_the_paper(seeds=5, spread=0.2) if each.config.data.dataset in DATASETS]
    found = [
        dataclasses.replace(each, config=each.config.replace(lr=0.03)) if place % 2 else each
        for place, each in enumerate(theirs)
        if each.config.model.name != "slate"
    ]
    return [*shifted(theirs, -4.0), *unlearned("dblp"), *shifted(found, 1.0, searched=SEARCHED)]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    return build(tmp_path_factory.mktemp("sides"), both_kinds())


@pytest.fixture(scope="module")
def page(texts):
    return ParsedPage(texts["html"])


def test_both_stand_in_the_table_of_cells(page):
    table = page.tables["cells"]
    assert table.header == HEADER
    column = {name: place for place, name in enumerate(table.header)}
    theirs = paper_cells().set_index(KEYS)["auc"]
    rows = {
        tuple(keys[name] for name in KEYS): values
        for keys, values in zip(table.keys, table.values, strict=True)
        if "pe" in keys
    }
    assert len(rows) == 168, "each cell once"
    for cell, values in rows.items():
        assert values[column["paper"]] == pytest.approx(theirs[cell])
        assert values[column["at default settings"]] == pytest.approx(theirs[cell] - 4, abs=1e-4)
        assert values[column["default − paper"]] == pytest.approx(-4, abs=1e-4)
        assert values[column["runs, default"]] == 5
        if cell[1] == "slate":
            assert values[column["after search"]] is None
        else:
            assert values[column["after search"]] == pytest.approx(theirs[cell] + 1, abs=1e-4)
            assert values[column["searched − paper"]] == pytest.approx(1, abs=1e-4)


def test_every_format_has_both(texts):
    for name in ("md", "readme"):
        check_markdown(texts[name])
        assert f"| {' | '.join(HEADER)} |" in texts[name]
    check_latex(texts["tex"])
    assert " & ".join(HEADER).replace("−", "$-$") in texts["tex"]


def test_what_is_said_is_of_those_with_the_most_cells_and_of_both_beside_the_paper(texts):
    readme = texts["readme"]
    assert "in 168 cells at default settings and 126 cells after search" in readme
    assert "of those at default settings, where nothing else is said" in readme
    assert "At default settings, 0 of the 168 cells that were run (0.0 %)" in readme
    assert "After search, 126 of the 126 cells that were run (100.0 %)" in readme
    # Encodings add as much in either way as in the paper.
    theirs = paper_cells()
    for words, left_out in (
        ("With 5 seeds or more, as the paper has them", ()),
        ("After search", ("slate",)),
    ):
        own = theirs[theirs["dataset"].isin(DATASETS) & ~theirs["model"].isin(left_out)]
        claim = headline_claims(own)[0]
        said = {"holds": "holds", "not shown": "is not shown"}[claim.verdict]
        assert f"{words}, that encodings beat none {said}: {points(claim.value)} points" in readme
        assert f"to {points(claim.high)}, p = {p_text(claim.p_adjusted)} after correction" in readme


def test_a_table_of_the_agreement_of_each(page):
    table = page.tables["agreement"]
    overall = [row for row in table.rows if row[1:3] == ["all", "all"]]
    assert [row[:5] for row in overall] == [
        ["at default settings", "all", "all", "0", "168"],
        ["after search", "all", "all", "126", "126"],
    ]


def test_runs_with_the_same_settings_open_their_own(page):
    data = json.loads(page.scripts[0])
    table = page.tables["runs-table"]
    assert len(table.rows) == len(data["runs"]) == len(both_kinds())
    place = data["names"].index("settings found by")
    for row, keys in zip(table.rows, table.keys, strict=True):
        how = row[table.header.index("settings")]
        found_by = data["runs"][keys["run"]]["outcome"][place]
        assert (how == "searched") == (found_by == "a search by held_out_auc with 12 trials")


def test_where_there_is_one_kind_the_table_is_plain(tmp_path):
    for number, records in enumerate((small_study(), list(shifted(small_study(), 0.0, searched=SEARCHED)))):
        learned = [each for each in records if each.config.model.is_learned]
        page = ParsedPage(build(tmp_path / str(number), learned)["html"])
        assert page.tables["cells"].header == [*HEADER[:4], "AUC", "paper", "difference", "runs"]
        assert "settings" not in page.tables["runs-table"].header


# ── other settings than the defaults ───────────────────────────────────────────────────────────────────────


def test_runs_at_other_settings_do_not_double_a_cell(tmp_path):
    names = {"dataset": "mine.csv", "model": "htgn", "features": "zeros"}
    records = [
        record(70.0 + (pe != "none"), pe=pe, seed=seed, **names)
        for pe in ("none", "lpe-e")
        for seed in (0, 1)
    ]
    records += [
        record(80.0, pe=pe, seed=seed, patience=9, **names) for pe in ("lpe-e", "slpe-e") for seed in (0, 1)
    ]
    study = Study.of(read_inputs([write(tmp_path / "runs.jsonl", records)]))
    assert study.inputs.apart == {}
    assert study.cells.set_index("pe")["auc"].to_dict() == {"none": 70.0, "lpe-e": 71.0, "slpe-e": 80.0}
    table = ParsedPage(build(tmp_path, records)["html"]).tables["cells"]
    assert [row[3:] for row in table.rows] == [
        ["none", "70.00 ± 0.00", "–", "2", "–"],
        ["SLPE-E", "80.00 ± 0.00", "–", "2", "–"],
        ["LPE-E", "71.00 ± 0.00", "80.00 ± 0.00", "2", "2"],
    ]
    assert table.header[4:] == ["at fixed settings", "at chosen settings", "runs, fixed", "runs, chosen"]


def test_of_a_search_that_went_on_the_last_settings_count(tmp_path):
    names = {"dataset": "dblp", "model": "htgn", "features": "zeros"}
    runs = {
        (lr, seed, trials): dataclasses.replace(
            record(70.0, lr=lr, seed=seed, **names), searched=Searched("train_loss", trials, 1.0)
        )
        for lr, seed, trials in ((0.1, 0, 12), (0.2, 0, 20), (0.2, 1, 24), (0.3, 0, 16))
    }
    # A search of another cell knows nothing of this one.
    other = dataclasses.replace(record(70.0, lr=0.1, pe="lpe-e", **names), searched=Searched("train_loss", 3))
    path = write(tmp_path / "runs.jsonl", [*runs.values(), other])
    inputs = read_inputs([path])
    kept = {(each.config.training.lr, each.config.encoding.pe) for each in inputs.records.values()}
    assert kept == {(0.2, "none"), (0.1, "lpe-e")}
    assert (len(inputs.records), inputs.num_dropped, inputs.apart) == (3, 2, {})


# ── how long it took ───────────────────────────────────────────────────────────────────────────────────────


def test_the_page_says_how_long_it_took_and_where(tmp_path):
    names = {"dataset": "dblp", "features": "zeros"}
    shared = Timings(encoding=40.0, training=3600.0, scoring=90.0)
    searched = Searched("held_out_auc", 12, 1800.0)
    records = [
        *(
            dataclasses.replace(
                record(70.0, model="htgn", pe="lpe-e", seed=seed, **names),
                timings=shared,
                machine="Fast CPU, 8 cores",
                searched=searched,
            )
            for seed in range(3)
        ),
        dataclasses.replace(
            record(70.0, model="htgn", **names), timings=Timings(0.0, 100.0, 5.0), machine="Slow CPU, 1 core"
        ),
        dataclasses.replace(
            record(70.0, model="htgn", pe="slpe-e", **names),
            machine="Slow CPU, 1 core",
            searched=Searched("held_out_auc", 0, carried_from="enron10"),
        ),
        *unlearned("dblp"),
    ]
    readme = build(tmp_path, records)["readme"]
    took = "3 runs of models took 3.1 hours of training and testing, and 40.0 seconds of encoding."
    assert f"On Fast CPU, 8 cores, {took}" in readme
    assert "On Slow CPU, 1 core, 2 runs of models took" in readme
    assert "Searches tried 12 settings in 1 cell, which took 30.0 minutes of training." in readme
