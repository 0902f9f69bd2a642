"""The demo: its sentence says what the figures say, and its page fits any screen."""

import math

import pytest

from supra_experiments.demo import build
from supra_experiments.training.summary import Row


def row(model, pe, auc):
    return Row(model, "zeros" if pe else "", pe, 1, auc, math.nan, auc, auc, 1.0, 1.0, 0.0)


def rows(grugcn, egcn, counted):
    """AUCs of each model without and with SLPE-E, and of counting."""
    learned = [
        row(model, pe, auc)
        for model, pair in (("grugcn", grugcn), ("egcn-h", egcn))
        for pe, auc in zip(("none", "slpe-e"), pair, strict=True)
    ]
    return [*learned, row("degree", "", 50.0), row("count", "", counted)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            rows((70.0, 90.0), (50.0, 88.0), 95.0),
            "raise GRUGCN's test AUC from 70.0 to 90.0 and raise EGCN's test AUC from 50.0 to 88.0; "
            "the best score that only counts (count) reaches 95.0, "
            "more than the best model here (GRUGCN with SLPE-E, 90.0).",
        ),
        (
            rows((90.0, 80.0), (70.0, 70.04), 85.0),
            "(SLPE-E) lower GRUGCN's test AUC from 90.0 to 80.0 and leave EGCN's test AUC at 70.0; "
            "the best score that only counts (count) reaches 85.0, "
            "no more than the best model here (GRUGCN, 90.0).",
        ),
        (
            rows((60.0, math.nan), (50.0, 61.0), 40.0),
            "(SLPE-E) let GRUGCN diverge and raise EGCN's test AUC from 50.0 to 61.0; "
            "the best score that only counts (degree) reaches 50.0, "
            "no more than the best model here (EGCN with SLPE-E, 61.0).",
        ),
    ],
    ids=["counting is better", "encodings harm", "a model that diverged"],
)
def test_the_sentence_goes_both_ways(given, said):
    assert build.found(given).endswith(said)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "SETTINGS", build.SETTINGS.replace(max_epochs=2, min_epochs=1))
        return build.build_demo(tmp_path_factory.mktemp("demo"), seeds=1)


def test_every_figure_of_the_page_is_the_runs(demo):
    page = demo.page.read_text()
    assert demo.facts["temporal_edges"] == 2392
    assert demo.facts["proposition_1_holds"]
    for line in demo.rows:
        assert f"{line.auc:.1f}" in page


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_fits(demo, chromium, width, theme):
    chromium.resize(width, 900)
    chromium.prefer(theme)
    chromium.open(demo.page)
    assert chromium.js("document.documentElement.scrollWidth") <= width
    background = chromium.js("getComputedStyle(document.querySelector('section')).backgroundColor")
    assert (background == "rgb(255, 255, 255)") is (theme == "light")
    drawn = chromium.js("Array.from(document.images).map((image) => image.naturalWidth > 0)")
    assert drawn == [True] * 3
    assert chromium.js("Array.from(document.images).every((image) => image.className === 'any-theme')")
    order = ["h1", ".answer", "table", ".lead img"]
    tops = [chromium.js(f"document.querySelector({each!r}).getBoundingClientRect().top") for each in order]
    assert tops[:3] == sorted(tops[:3])
    assert max(tops) < 900  # all of it on the first screen
    assert chromium.errors == []
