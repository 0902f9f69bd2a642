"""What a report says: the numbers of the analysis, whatever the records are, in every format."""

import base64
import hashlib
import json
import math
import re

import pytest

from supra_experiments.analysis import cells, compare, paper_cells, runs
from supra_experiments.analysis.averages import averages
from supra_experiments.report.figures import draw_figures
from supra_experiments.report.markdown import NOTES_BEGIN, NOTES_END
from supra_experiments.report.records import read_inputs
from supra_experiments.report.study import Study
from supra_experiments.words import label

from ..report_parser import ParsedPage
from ..report_records import UNLEARNED, like_the_paper, record, small_study, unlearned, write
from ..report_texts import build

HOSTILE = "<script>alert('x')</script>|a_b*c\\`$%&#{}~^[x](http://evil.example)\"\u2028.csv"
NOTES = "## Why\n\n* because <b>of</b> | this_and_that\n"
OWN_FEATURES = "</td><img src=x onerror=alert(1)>&amp;.csv"
STUDIES = {
    "one learned record": [record(70.0, dataset="enron10", model="htgn")],
    "one score": unlearned("dblp")[:1],
    "no learned runs": unlearned("dblp") + unlearned("enron10"),
    "no scores without learning": [each for each in small_study() if each.config.model.is_learned],
    "own dataset": [
        *unlearned("mine.csv"),
        *(record(60.0 + seed, dataset="mine.csv", pe="slpe-e", seed=seed) for seed in (0, 1)),
        record(55.0, dataset="mine.csv"),
    ],
    "diverged": [record(math.nan, dataset="enron10", model="egcn-h"), *unlearned("enron10")],
    "older records": [record(80.0, dataset="dblp", pe=pe, versions={}) for pe in ("none", "lpe-t")],
}  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return build(tmp_path_factory.mktemp("small"), small_study(), NOTES)


@pytest.fixture(scope="module")
def small_page(small):
    return ParsedPage(small["html"])


@pytest.mark.parametrize("name", STUDIES)
def test_whatever_the_records_every_format_is_whole(tmp_path, name):
    texts = build(tmp_path, STUDIES[name])
    page = ParsedPage(texts["html"])
    for table in page.tables.values():
        assert all(len(row) == len(table.header) for row in table.rows)
    assert len(page.tables["runs-table"].rows) == len(STUDIES[name])
    check_markdown(texts["md"])
    check_markdown(texts["readme"])
    check_latex(texts["tex"])
    for text in texts.values():
        assert "nan" not in re.sub(r"[a-z]*nan[a-z]+|[a-z]+nan[a-z]*", "", text.split("<style>")[0].lower())
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_figures_are_those_of_the_analysis(small_page):
    records = small_study()
    table = small_page.tables["cells"]
    ours, both = cells(runs(records)), compare(cells(runs(records)), paper_cells())
    column = table.header.index
    found = {
        (keys["dataset"], keys["model"], keys.get("features", ""), keys.get("pe", "none")): values
        for keys, values in zip(table.keys, table.values, strict=True)
    }
    assert len(found) == len(ours) == 40
    for cell in ours.itertuples():
        values = found[cell.dataset, cell.model, cell.features, cell.pe]
        assert values[column("AUC")] == pytest.approx(cell.auc, abs=0.0051)
        assert values[column("runs")] == cell.num_runs
    assert len(both) == 32
    for cell in both.itertuples():
        values = found[cell.dataset, cell.model, cell.features, cell.pe]
        assert values[column("paper")] == pytest.approx(cell.paper_auc)
        assert values[column("difference")] == pytest.approx(cell.difference, abs=0.0051)


def test_derived_figures_are_those_of_the_analysis(small_page):
    table = small_page.tables["average-by-encoding"]
    expected = averages(cells(runs(small_study())), ["pe"])
    wanted = {label(pe): auc for pe, auc in zip(expected["pe"], expected["auc"], strict=True)}
    wanted |= UNLEARNED  # the same on both datasets
    found = {row[0]: values[1] for row, values in zip(table.rows, table.values, strict=True)}
    assert found.keys() == wanted.keys()
    assert {"none", "SLPE-E", "edgebank", "neighbours"} <= found.keys()
    assert all(found[name] == pytest.approx(wanted[name], abs=0.0051) for name in wanted)


def test_fed_with_the_papers_cells_ours_are_the_papers(tmp_path):
    """An oracle for every pairing: the two figures of a row must then be equal."""
    texts = build(tmp_path, like_the_paper(seeds=3, spread=0.2))
    assert len(texts["html"].encode()) < 1.5 * 2**20
    page = ParsedPage(texts["html"])
    assert len(page.tables["runs-table"].rows) == 3 * 336
    pairs = 0
    for name, table in page.tables.items():
        if name == "cells":
            differences = [values[table.header.index("difference")] for values in table.values]
            assert differences == pytest.approx([0.0] * 336, abs=1e-6)
            continue
        for position, header in enumerate(table.header):
            if header == "paper" and name != "claims":
                for values in table.values:
                    pairs += 1
                    assert values[position] == pytest.approx(values[position - 1], abs=0.0101)
    # Averages by encoding, by features, by model; two differences' means and medians.
    assert pairs == 7 + 7 * 3 + 4 * 5 + 10 * 2
    assert "336 of the 336 cells that were run (100.0 %)" in texts["readme"]
    assert "no run here" not in texts["readme"]
    # The claims on our cells are those on the paper's.
    claims = page.tables["claims"]
    assert len(claims.rows) == 8
    ours, paper, verdict = map(claims.header.index, ("mean", "paper", "verdict"))
    assert [row[paper].split(maxsplit=1)[1] for row in claims.rows] == [row[verdict] for row in claims.rows]
    assert [values[ours] for values in claims.values] == pytest.approx(
        [values[paper] for values in claims.values], abs=0.0101
    )


def test_scores_without_learning_stand_beside_models(small_page):
    for name in ("cells", "average-by-encoding", "negatives", "average-by-features-and-model"):
        words = {word for row in small_page.tables[name].rows for word in row}
        assert {"edgebank", "degree", "count", "neighbours"} <= words, name


def test_rows_can_be_filtered_by_what_they_are(small_page):
    table = small_page.tables["average-by-encoding"]
    keys = dict(zip((row[0] for row in table.rows), table.keys, strict=True))
    assert keys["none"] == {"pe": "none"}
    assert keys["SLPE-E"] == {"pe": "slpe-e"}
    assert keys["edgebank"] == {}
    assert {"dataset": "dblp", "pe": "slpe-i"} in small_page.tables["gain-by-dataset"].keys
    assert {"dataset": "dblp", "model": "count"} in small_page.tables["cells"].keys


def test_a_row_opens_the_settings_of_its_own_run(tmp_path):
    """Records under both names of one model, and of one score under several settings, count once."""
    names = {"dataset": "enron10", "features": "zeros"}
    records = [record(70.0, model="egcn", pe=pe, **names) for pe in ("none", "slpe-e")]
    records += [record(70.0, model="egcn-h", pe=pe, **names) for pe in ("none", "slpe-e")]
    records += [record(80.0, model="count", dataset="enron10", max_epochs=epochs) for epochs in (500, 10)]
    records += [record(75.0 + seed, model="htgn", seed=seed, **names) for seed in (0, 1)]
    page = ParsedPage(build(tmp_path, records)["html"])
    data = json.loads(page.scripts[0])["runs"]
    table = page.tables["runs-table"]
    assert len(table.rows) == len(data) == 5
    for row, keys in zip(table.rows, table.keys, strict=True):
        cells_of_row = dict(zip(table.header, row, strict=True))
        settings = data[keys["run"]]["settings"]
        assert cells_of_row["run"] == keys["run"][:8]
        model, pe = "egcn-h" if settings["model"] == "egcn" else settings["model"], settings["pe"]
        assert (cells_of_row["model"], cells_of_row["seed"]) == (label(model), str(settings["seed"]))
        assert cells_of_row["encoding"] in (label(pe), "–")


def test_what_was_not_run_is_listed_where_most_was(tmp_path, small):
    assert "336" not in small["readme"]
    gone = {("htgn", "zeros", "lpe-t"), ("htgn", "zeros", "slpe-t")}
    records = [
        each
        for each in like_the_paper()
        if each.config.data.dataset != "canparl" and each.config.model.name != "slate"
        if (each.config.model.name, each.config.data.features, each.config.encoding.pe) not in gone
    ]
    readme = build(tmp_path, records)["readme"]
    assert "153 of the paper's 336 cells have no run here:" in readme
    assert "- CanParl (84 of 84): all" in readme
    assert "- enron10 (23 of 84): HTGN zeros (SLPE-T, LPE-T); SLATE all" in readme


def test_hostile_names_are_text_everywhere(tmp_path):
    records = small_study() + unlearned(HOSTILE)
    records += [record(61.0 + seed, dataset=HOSTILE, features=OWN_FEATURES, seed=seed) for seed in (0, 1)]
    texts = build(tmp_path, records)
    page = ParsedPage(texts["html"])
    assert len(page.scripts) == 2
    assert not any(
        tag == "img" or any(name.startswith("on") for name in attributes) for tag, attributes in page.tags
    )
    row = next(row for row in page.tables["cells"].rows if row[2] == OWN_FEATURES)
    assert " ".join(row[0].split()) == " ".join(HOSTILE.split())
    data = json.loads(page.scripts[0])
    assert data["names"][:2] == ["AUC", "AP"]
    assert next(reversed(data["runs"].values()))["settings"]["dataset"] == HOSTILE
    for name in ("md", "readme"):
        text = re.sub(r"\\.|</?(details|summary)>", "", texts[name], flags=re.DOTALL)
        assert "<" not in text.replace(NOTES_BEGIN, "").replace(NOTES_END, "")
        assert "](http" not in text
        check_markdown(texts[name])
    check_latex(texts["tex"])


def test_the_page_may_load_nothing(small, small_page):
    html, page = small["html"], small_page
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for kind, text in (
        ("script-src", page.scripts[1]),
        ("style-src", re.search("<style>(.*?)</style>", html, re.DOTALL)[1]),
    ):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    for _, attributes in page.tags:
        assert "style" not in attributes
        for name in ("src", "href"):
            assert re.match(r"#|data:", attributes.get(name, "#"))


def test_tables_are_accessible(small_page):
    tags = [tag for tag, _ in small_page.tags]
    assert tags.count("caption") == tags.count("table") == len(small_page.tables)
    assert all(a.get("scope") in ("row", "col") for tag, a in small_page.tags if tag == "th")
    regions = [a for _, a in small_page.tags if a.get("class") == "scroll"]
    assert len(regions) == len(small_page.tables)
    assert all(a["tabindex"] == "0" and a["aria-labelledby"] for a in regions)


def test_notes_stand_as_they_are_in_markdown(small):
    assert f"{NOTES_BEGIN}\n\n{NOTES.strip()}\n\n{NOTES_END}" in small["readme"]


def test_notes_are_rendered_on_the_page_and_their_html_is_text(small):
    assert '<div class="notes"><h2>Why</h2>' in small["html"]
    assert "<li>because &lt;b&gt;of&lt;/b&gt; | this_and_that</li>" in small["html"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("one learned record", ["auc_enron10", "agreement"]),
        ("diverged", []),
        ("own dataset", ["auc_mine_csv", "gains", "ranks"]),
    ],
)
def test_figures_whatever_the_records(tmp_path, name, wanted):
    study = Study.of(read_inputs([write(tmp_path / "runs.jsonl", STUDIES[name])]))
    drawn = draw_figures(study, tmp_path / "figures")
    assert {path.name for path in tmp_path.glob("figures/*.png")} == {f"{each.name}.png" for each in drawn}
    assert [each.name for each in drawn] == wanted


# ── formats ────────────────────────────────────────────────────────────────────────────────────────────────


def check_markdown(text):
    """Rows of a table have as many cells as its header, and nothing is left open."""
    width = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        count = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) - 1
        width = width or count
        assert count == width, line
    assert text.count("<details>") == text.count("</details>")
    assert text.endswith("\n")


def check_latex(text):
    """Environments and braces are closed, rows have the columns that were announced, nothing is active."""
    body = re.sub(r"^%.*$", "", text, flags=re.MULTILINE)
    plain = body.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0 or r"\$" in plain
    assert body.isascii() or all(ord(c) < 256 for c in body)
    tables = re.findall(
        r"\\begin\{longtable\}\{((?:[lr]|p\{3cm\})+)\}(.*?)\\end\{longtable\}", body, re.DOTALL
    )
    assert len(tables) == body.count(r"\begin{longtable}") == body.count(r"\end{longtable}")
    for columns, inside in tables:
        rows = re.findall(r"^(?!\\caption)(.*) \\\\$", inside, re.MULTILINE)
        assert len(rows) >= 2
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == len(re.findall(r"[lrp]", columns)) - 1, row
            assert not re.search(r"(?<!\\)[%#_]", row), row
