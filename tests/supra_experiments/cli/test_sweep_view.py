"""What a sweep shows while it runs."""

import io

import pytest
from rich.console import Console

from supra_experiments import Config
from supra_experiments.cli.sweep_view import LiveView, duration
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.spec import SweepSpec

from ..sweeps import record_of


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 50), (60, 12)])
def test_the_live_table_fits_the_terminal(width, height):
    progress = SweepProgress(1000)
    progress.dashboard_url = "http://127.0.0.1:8265"
    spec = SweepSpec.read("grid-default")
    runs = [run for run in spec.runs() if run.model.is_learned]
    for config in runs[:300]:
        progress.finished(config, record_of(config, 0.9))
    for config in runs[300:330]:
        progress.reported(config, 17, 0.25)
    screen = io.StringIO()
    terminal = Console(file=screen, width=width, height=height, force_terminal=True, color_system=None)
    terminal.print(LiveView("grid-default", progress, terminal).render())
    lines = screen.getvalue().rstrip("\n").split("\n")
    assert len(lines) <= height
    assert "300 of 1000 done, 30 running, 0 failed" in lines[0]
    assert any("http://127.0.0.1:8265" in line for line in lines)
    if width >= 80:
        assert any("17 of 500" in line for line in lines)
        assert any("90.0" in line for line in lines)


def test_the_runs_of_a_pack_are_one_row():
    progress = SweepProgress(9)
    spec = SweepSpec.read("grid-default")
    runs = [run for run in spec.runs() if (run.model.name, run.data.features) == ("htgn", "zeros")]
    for config in runs[:3]:
        progress.started(config, "7")
    progress.started(runs[3])
    for config, epoch, loss in zip(runs, (20, 17, 20), (0.2, 0.3, 0.4), strict=False):
        progress.reported(config, epoch, loss)
    screen = io.StringIO()
    terminal = Console(file=screen, width=100, height=24, force_terminal=True, color_system=None)
    terminal.print(LiveView("a", progress, terminal).render())
    assert "4 running" in screen.getvalue()
    [row] = [line.split() for line in screen.getvalue().splitlines() if "as one" in line]
    assert " ".join(row) == "enron10 htgn, 3 as one 0 17 of 500 0.3000"
    assert sum("starting" in line for line in screen.getvalue().splitlines()) == 1


def test_a_search_shows_its_best_criterion_in_brackets():
    progress = SweepProgress(2)
    progress.finished(Config(), value=0.25)
    screen = io.StringIO()
    terminal = Console(file=screen, width=80, height=24, force_terminal=True, color_system=None)
    terminal.print(LiveView("a", progress, terminal).render())
    assert "(0.250)" in screen.getvalue()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (99, "99 s"), (100, "2 min"), (6000, "1.7 h"), (1e6, "11.6 days")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text
