"""``supra report``: what it writes, what it says, what it refuses."""

import json
import re
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from supra_experiments.cli.main import main
from supra_experiments.report.figures import FIGURES, registry

from ..report_parser import ParsedPage
from ..report_records import record, small_study, write


def test_the_command(tmp_path, capsys, monkeypatch):
    chosen = ("agreement", "cost", "matrices")
    monkeypatch.setattr(registry, "FIGURES", {name: FIGURES[name] for name in chosen})
    write(tmp_path / "runs.jsonl", small_study())
    write(tmp_path / "more.jsonl", small_study()[:3])
    output, markdown, notes = tmp_path / "out", tmp_path / "pages" / "README.md", tmp_path / "notes.md"
    notes.write_text("Settings were not searched.")
    arguments = [tmp_path, "-o", output, "--markdown", markdown, "--notes", notes, "--graph", "demo"]
    arguments += ["--origin", "2 cores | no GPU, commit abc1234.", "--json"]
    assert main(["report", *map(str, arguments)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["runs"], said["cells"], said["compared"], said["duplicates"]) == (72, 40, 32, 3)
    files = {path for path in output.rglob("*") if path.is_file()} | {markdown}
    assert {str(path) for path in files} == set(said["files"])
    assert {"index.html", "tables.md", "tables.tex", "cost.svg", "cost-dark.svg", "cost.png"} <= {
        path.name for path in files
    }
    text = markdown.read_text()
    assert "Settings were not searched." in text
    assert "<p>Settings were not searched.</p>" in (output / "index.html").read_text()
    assert "Run on 2 cores \\| no GPU, commit abc1234." in text
    links = re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert len(links) == 2 * len(chosen)
    assert all((markdown.parent / link).is_file() for link in links)
    page = ParsedPage((output / "index.html").read_text())
    pictures = [attributes for tag, attributes in page.tags if tag == "img"]
    assert len(pictures) == len(chosen) + 1  # one has a dark image of its own
    for each in pictures:
        kind, _, svg = each["src"].partition(",")
        assert (kind, each["alt"] != "") == ("data:image/svg+xml", True)
        assert ElementTree.fromstring(unquote(svg)).tag.endswith("svg")


def test_help_teaches(capsys):
    assert main(["report", "--help"]) == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("supra report", "--markdown", "--notes", "--json", ".jsonl.gz"))


def test_what_was_left_out_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(registry, "FIGURES", {})
    write(tmp_path / "runs.jsonl", small_study() + small_study()[:3])
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "out")]) == 0
    written = capsys.readouterr()
    assert "3 records of a run that was there already" in written.err
    assert "72 runs, 40 cells, 32 of them in the paper" in written.out
    assert "On average yes: over 8 settings" in written.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl: no such file or folder"),
        ([], "Missing argument"),
        (["{runs}", "--notes", "nowhere.md"], "nowhere.md: cannot be read"),
        (["{twice}"], "demo count: two runs with different settings (follow False and True)"),
        (["{runs}", "--solver-times", "nowhere.json"], "nowhere.json"),
        (["{runs}", "--encoding-times", "nowhere.json"], "nowhere.json: cannot be read"),
        (["{runs}", "--graph", "nowhere"], "nowhere"),
        (["{runs}", "--where", "lr"], "--where lr: must be SETTING=VALUE"),
        (["{runs}", "--where", "learning_rate=1"], "--where learning_rate: no such setting"),
        (["{runs}", "--where", "dataset=nowhere"], "no run records"),
    ],
)
def test_mistakes_are_one_line(tmp_path, capsys, arguments, message):
    twice = [record(60.0, model="count", follow=each) for each in (False, True)]
    paths = {
        "{runs}": write(tmp_path / "a" / "runs.jsonl", small_study()),
        "{twice}": write(tmp_path / "b" / "runs.jsonl", twice),
    }
    given = [str(paths.get(argument, argument)) for argument in arguments]
    assert main(["report", *given, "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error
    assert not (tmp_path / "out").exists()
