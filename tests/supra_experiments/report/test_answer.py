"""A report is about its runs: the answer that they give, their models and settings, the notes beside."""

import re

import pytest

from supra_experiments.report.page import notes_html

from ..report_parser import ParsedPage
from ..report_records import record, small_study, unlearned
from ..report_texts import build

OWN = {"dataset": "mine.csv", "model": "htgn", "features": "zeros"}


def test_a_report_of_two_cells_is_about_these(tmp_path):
    records = [record(70.0 + seed, seed=seed, **OWN) for seed in range(3)]
    records += [record(74.0 + 1.5 * seed, pe="slpe-e", seed=seed, **OWN) for seed in range(3)]
    texts = build(tmp_path, records)
    page = ParsedPage(texts["html"])
    shown = re.sub("<style>.*?</style>|<script.*?</script>", "", texts["html"], flags=re.DOTALL)
    for text in (texts["readme"], shown):
        assert not re.search("paper|336|claim", text, re.IGNORECASE)
    headings = [a["id"] for tag, a in page.tags if tag == "section"]
    assert headings == ["part-answer", "part-datasets", "part-runs"]
    # Differences are 4, 4.5 and 5: t = 4.30 with two degrees of freedom, and a standard error of 0.5 / √3.
    table = page.tables["encodings"]
    assert table.header == ["encoding", "AUC points over none"]
    assert table.rows[0] == ["SLPE-E", "+4.50 (+3.26 to +5.74)"]
    answer = "**Yes: on mine.csv (HTGN with zero features) SLPE-E changes the AUC by +4.50 points"
    assert answer in texts["readme"]


def test_models_that_the_paper_does_not_have_are_not_compared_with_it(tmp_path):
    names = {"dataset": "enron10", "features": "one-hot", "protocol": "next"}
    records = [
        record(80.0 + seed + (pe != "none"), pe=pe, seed=seed, model=model, decoder_history=history, **names)
        for model in ("grugcn", "htgn")
        for history in (False, True)
        for pe in ("none", "slpe-e")
        for seed in (0, 1)
    ]
    records += [record(90.0, dataset="enron10", model="logistic", pe=pe) for pe in ("none", "slpe-e")]
    texts = build(tmp_path, records + unlearned("enron10"))
    table = ParsedPage(texts["html"]).tables["cells"]
    assert "paper" not in table.header
    assert [row[:3] for row in table.rows if row[3] == "SLPE-E"] == [
        ["enron10", "GRUGCN, history", "one-hot"],
        ["enron10", "GRUGCN, next", "one-hot"],
        ["enron10", "HTGN, history", "one-hot"],
        ["enron10", "HTGN, next", "one-hot"],
        ["enron10", "logistic", "–"],
    ]
    assert "learns to predict the next snapshot" in texts["readme"]
    assert "sees the pair's past in its decoder" in texts["readme"]


def test_settings_of_one_cell_are_kept_apart(tmp_path):
    records = [
        record(70.0 + 10 * lr + (pe != "none"), pe=pe, lr=lr, **OWN)
        for lr in (0.1, 0.2)
        for pe in ("none", "slpe-e")
    ]
    records.append(record(60.0, **{**OWN, "model": "grugcn"}))
    table = ParsedPage(build(tmp_path, records)["html"]).tables["cells"]
    found = {(row[1], row[3]): values[4] for row, values in zip(table.rows, table.values, strict=True)}
    assert found == {
        ("GRUGCN", "none"): 60.0,
        ("HTGN, lr 0.1", "none"): 71.0,
        ("HTGN, lr 0.2", "none"): 72.0,
        ("HTGN, lr 0.1", "SLPE-E"): 72.0,
        ("HTGN, lr 0.2", "SLPE-E"): 73.0,
    }


@pytest.mark.parametrize(
    ("aucs", "answer"),
    [
        (
            {"none": [70, 71, 72], "slpe-e": [75, 76, 77.3]},
            "Yes: on mine.csv (HTGN with zero features) SLPE-E",
        ),
        ({"none": [75, 76, 77.3], "slpe-e": [70, 71, 72]}, "No: on mine.csv"),
        ({"none": [70, 71, 72], "slpe-e": [71, 70, 72]}, "Not clearly: on mine.csv"),
        ({"none": [70], "slpe-e": [75]}, "These runs are too few to tell: on mine.csv"),
        ({"none": [70, 71], "slpe-e": [75, 76], "lpe-e": [75, 77]}, "an encoding changes the AUC by +5.25"),
        ({"slpe-e": [70, 72]}, "The best test AUC in percent is 71.00 ± 1.00 on mine.csv (HTGN, with zero"),
    ],
)
def test_the_answer_goes_every_way(tmp_path, aucs, answer):
    records = [
        record(auc, pe=pe, seed=seed, **OWN) for pe, values in aucs.items() for seed, auc in enumerate(values)
    ]
    assert answer in build(tmp_path, records)["readme"]


def test_the_answer_is_the_mean_over_settings(tmp_path):
    """In the small study encodings gain 0.73, 1.46 and 2.19 points in every setting: 1.46 on average."""
    readme = build(tmp_path, small_study())["readme"]
    assert "On average yes: over 8 settings" in readme
    assert "an encoding changes the AUC by +1.46 points" in readme
    assert "the median is +1.46" in readme


@pytest.mark.parametrize(
    ("text", "inside", "not_inside"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;", "<script"),
        ("[x](javascript:alert(1))", "javascript", "href"),
        ("![x](https://example.org/x.png)", '<a href="https://example.org/x.png">', "<img"),
        ("| a |\n| --: |\n| 1 |", '<td class="right">1</td>', "style="),
        ('<b style="text-align:right">', "&quot;text-align:right&quot;", "<b"),
    ],
)
def test_notes_cannot_do_anything(text, inside, not_inside):
    html = notes_html(text)
    assert inside in html
    assert not_inside not in html
