"""Figures build from whatever data there are, can be read by everyone, and are the same every time."""

import itertools
import sys
import xml.etree.ElementTree as ElementTree

import pandas as pd
import pytest
from matplotlib.text import Text

from supra_experiments.analysis.statistics import rank_variants
from supra_experiments.errors import ExperimentError
from supra_experiments.report.figures import FIGURES, available, canvas, ranks, style
from supra_experiments.report.figures.canvas import save, svg
from supra_experiments.report.study import Study

from ..figure_data import CASES, PAPER, frame, run

PHONE = 380  # pixels of a narrow telephone
# The four AUC figures are one function; one of them is looked at closely.
DRAWN = [
    (case, name, theme)
    for case, theme in (("full", "light"), ("partial", "dark"), ("minimal", "light"))
    for name in CASES[case][1]
    if not name.startswith("auc_") or name == "auc_enron10"
    if case == "full" or name != "smoothness"
]


@pytest.mark.parametrize("case", CASES)
def test_figures_are_there_when_their_data_are(case):
    data, expected = CASES[case]
    assert {name for name, spec in FIGURES.items() if spec.given(data) is not None} == expected
    assert {spec.name for spec, _ in available(data)} == expected


def drawn_texts(figure, monkeypatch):
    """Every text that is drawn, with the box around it in pixels."""
    found, original = [], Text.draw

    def record(self, renderer):
        if self.get_visible() and self.get_text().strip():
            found.append((self, self.get_window_extent(renderer)))
        original(self, renderer)

    monkeypatch.setattr(Text, "draw", record)
    figure.draw_without_rendering()
    monkeypatch.undo()
    return found


@pytest.mark.parametrize(("case", "name", "theme"), sorted(DRAWN))
def test_every_figure_can_be_read(case, name, theme, monkeypatch):
    spec = FIGURES[name]
    arguments = spec.given(CASES[case][0])
    figure = spec.draw(*arguments, theme=theme)
    figure.set_dpi(canvas.DPI)
    texts = drawn_texts(figure, monkeypatch)
    for text, box in texts:
        outside = max(-box.x0, -box.y0, box.x1 - figure.bbox.x1, box.y1 - figure.bbox.y1)
        assert outside <= 0.5, f"{text.get_text()!r} leaves the figure"
        on_a_phone = text.get_fontsize() * PHONE / (72 * figure.get_figwidth())
        assert on_a_phone >= 8, f"{text.get_text()!r} is too small on a phone"
    for (first, a), (second, b) in itertools.combinations(texts, 2):
        shared = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert min(shared) < 1.5, f"{first.get_text()!r} and {second.get_text()!r} overlap"
    # The title is the finding, whole, however it was broken into lines.
    assert " ".join(figure.get_suptitle().split()) == " ".join(spec.title(*arguments).split())
    assert len(spec.alt(*arguments)) > 60
    assert spec.caption.endswith(".")
    text = svg(figure, name)
    assert ElementTree.fromstring(text).tag.endswith("svg")
    if case == "minimal":
        again = svg(spec.draw(*arguments, theme=theme), name)
        assert again == text
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()


@pytest.mark.parametrize("kinds", [("zeros",), ("zeros", "one-hot"), ("zeros", "one-hot", "random")])
def test_no_text_is_cut_off_whatever_the_number_of_panels(kinds, monkeypatch):
    runs = frame([run("canparl", features=kind, pe=pe) for kind in kinds for pe in ("none", "slpe-e")])
    figure = FIGURES["auc_canparl"].draw(runs, PAPER, "canparl", theme="light")
    figure.set_dpi(canvas.DPI)
    for text, box in drawn_texts(figure, monkeypatch):
        assert box.x0 >= -0.5, text.get_text()
        assert box.x1 <= figure.bbox.x1 + 0.5, text.get_text()


def test_a_dataset_of_ones_own_has_its_figure():
    runs = frame([run("data/My edges.csv", auc=80), run("data/My edges.csv", pe="lpe-e", auc=82)])
    found = {spec.name: arguments for spec, arguments in available(Study(runs))}
    assert found.keys() == {"gains", "auc_data_my_edges_csv", "ranks"}
    assert FIGURES["auc_dblp"].title(*found["auc_data_my_edges_csv"]).startswith("data/My edges.csv: LPE-E")


def two_ranks(theme="light"):
    return ranks.draw(rank_variants(pd.DataFrame({"none": [1, 1], "slpe-e": [2, 2]})), theme=theme)


def test_files_are_whole_and_the_same_every_time(tmp_path, monkeypatch):
    folder, words = tmp_path / "new", {"title": "<A & B>", "alt": "words"}
    texts = save(two_ranks(), two_ranks("dark"), folder, "ranks", **words)
    paths = [folder / name for name in ("ranks-dark.svg", "ranks.png", "ranks.svg")]
    assert sorted(folder.iterdir()) == paths
    first = [path.read_bytes() for path in paths]
    assert (first[2].decode(), first[0].decode()) == texts
    assert first[1].startswith(b"\x89PNG")
    assert b"&lt;A &amp; B&gt;" in first[2]
    assert b"date" not in first[2].lower()
    ElementTree.fromstring(first[2])
    save(two_ranks(), two_ranks("dark"), folder, "ranks", **words)
    assert [path.read_bytes() for path in paths] == first
    monkeypatch.setattr(canvas, "svg", lambda *args, **words: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save(two_ranks(), two_ranks("dark"), folder, "ranks")
    assert sorted(folder.iterdir()) == paths
    assert [path.read_bytes() for path in paths] == first


def luminance(colour):
    """Relative luminance by the WCAG's definition: what is left of a colour in greyscale."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", style.THEMES.values(), ids=list(style.THEMES))
def test_every_colour_stands_out_from_the_background(theme):
    ground = luminance(theme.background)
    for name in (*theme.colours, "ink", "faint"):
        light, dark = sorted((luminance(theme.colour(name)), ground), reverse=True)
        wanted = 7.0 if name == "ink" else 3.0
        assert (light + 0.05) / (dark + 0.05) >= wanted, f"{name} is too faint"


@pytest.mark.parametrize("group", style.GROUPS)
def test_nothing_is_told_by_colour_alone(group):
    looks = style.GROUPS[group].values()
    shapes = {(look.marker, look.filled) if look.marker else look.line for look in looks}
    assert len(shapes) == len(looks)


def test_what_is_unknown_gets_a_look_as_well():
    assert style.look("datasets", "mine", 1) != style.look("datasets", "yours", 2)
    with pytest.raises(ExperimentError, match="theme='blue': must be one of light, dark"):
        two_ranks("blue")
