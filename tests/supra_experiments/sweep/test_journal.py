"""The journal of a sweep: nothing that was finished is lost, whatever happens to the file or the process."""

import dataclasses
import json
import os
import resource
import signal
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supra_experiments import Config
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.journal import Failure, Journal, SearchTrial
from supra_experiments.sweep.plan import compare
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.json_lines import JournalError, JsonLines

from ..sweeps import SMALL, record_of

CELL = Cell("demo", "degree", "none", "zeros")
RECORDS = [record_of(Config(model="degree", seed=seed), auc=0.5 + seed / 100) for seed in range(4)]
CONTENT = "".join(record.to_json() + "\n" for record in RECORDS).encode()
ENDS = [i + 1 for i, byte in enumerate(CONTENT) if byte == 10]


def outcomes(records) -> list:
    return [record.outcome() for record in records]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "sweep"


# ── records ────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_added_is_there_when_it_is_opened_again(folder):
    with Journal(folder) as journal:
        for record in RECORDS:
            assert journal.add(record)
            # On the disk before the next: whoever reads the file now sees it.
            assert (folder / "records.jsonl").read_bytes().endswith(record.to_json().encode() + b"\n")
    with Journal(folder) as journal:
        assert outcomes(journal.records) == outcomes(RECORDS)
        assert journal.notes == []
    assert (folder / "records.jsonl").read_bytes() == CONTENT


def test_a_run_is_kept_once(folder):
    with Journal(folder) as journal:
        assert journal.add(RECORDS[0])
        assert not journal.add(RECORDS[0])
        # The same settings on another graph are another run.
        assert journal.add(dataclasses.replace(RECORDS[0], graph_digest="other"))
        config = Config(model="degree", seed=0)
        assert journal.get(config, RECORDS[0].graph_digest) is not None
        assert journal.get(config, "other").graph_digest == "other"
        assert journal.get(config.replace(seed=1), RECORDS[0].graph_digest) is None
        assert journal.get(config, "third") is None
        assert len(journal.records) == 2
    with Journal(folder) as journal:
        assert not journal.add(RECORDS[0])


# ── torn files ─────────────────────────────────────────────────────────────────────────────────────────────


@given(stop=st.integers(0, len(CONTENT)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_cut_at_any_byte_loses_at_most_its_last_record(stop, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cut")
    (folder / "records.jsonl").write_bytes(CONTENT[:stop])
    whole = sum(end <= stop for end in ENDS)
    # All but the end of the line is as good as the line.
    complete = whole + (stop + 1 in ENDS)
    with Journal(folder) as journal:
        assert outcomes(journal.records) == outcomes(RECORDS[:complete])
        torn = stop not in (0, *ENDS)
        assert len(journal.notes) == torn
        # What is added afterwards stands on a line of its own.
        for record in RECORDS:
            journal.add(record)
    assert (folder / "records.jsonl").read_bytes() == CONTENT
    aside = folder / "records.jsonl.torn"
    assert aside.exists() == (torn and complete == whole)
    if aside.exists():
        assert aside.read_bytes() == CONTENT[ENDS[whole - 1] if whole else 0 : stop] + b"\n"


@pytest.mark.parametrize("rest", [b"\0" * 40, b"\xff\xfe", b'{"a": 1', b"[1, 2]\n", b"garbage\n", b"3"])
def test_whatever_is_at_the_end_is_put_aside(folder, rest):
    folder.mkdir()
    (folder / "records.jsonl").write_bytes(CONTENT + rest)
    with Journal(folder) as journal:
        assert outcomes(journal.records) == outcomes(RECORDS)
        assert "records.jsonl.torn" in journal.notes[0]
    assert (folder / "records.jsonl.torn").read_bytes().rstrip(b"\n") == rest.rstrip(b"\n")
    assert (folder / "records.jsonl").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("line", "reason"), [(b"garbage", "line 2 is not JSON"), (b"{}", "line 2: not a run")]
)
def test_a_bad_line_in_the_middle_is_an_error_and_nothing_is_touched(folder, line, reason):
    folder.mkdir()
    content = CONTENT[: ENDS[0]] + line + b"\n" + CONTENT[ENDS[0] :]
    (folder / "records.jsonl").write_bytes(content)
    with pytest.raises(JournalError, match=rf"records\.jsonl: {reason}"):
        Journal(folder)
    assert (folder / "records.jsonl").read_bytes() == content
    # The lock is free again.
    (folder / "records.jsonl").write_bytes(CONTENT)
    Journal(folder).close()


def test_blank_lines_are_passed_over(folder):
    folder.mkdir()
    (folder / "records.jsonl").write_bytes(b"\n" + CONTENT[: ENDS[0]] + b"\n\n")
    with Journal(folder) as journal:
        assert outcomes(journal.records) == outcomes(RECORDS[:1])
        assert journal.add(RECORDS[1])
    with Journal(folder) as journal:
        assert outcomes(journal.records) == outcomes(RECORDS[:2])


# ── a full disk, a read-only one, a second writer ──────────────────────────────────────────────────────────


@pytest.fixture
def max_file_size():
    """Files cannot grow beyond a size: a part of a write is taken, then no more, as by a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_told_and_leaves_whole_lines(folder, max_file_size):
    with Journal(folder) as journal:
        journal.add(RECORDS[0])
        max_file_size(ENDS[0] + 100)
        with pytest.raises(JournalError, match=r"records\.jsonl: cannot be written \(File too large\)"):
            journal.add(RECORDS[1])
        max_file_size(resource.RLIM_INFINITY)
        assert (folder / "records.jsonl").read_bytes() == CONTENT[: ENDS[0]]
        assert outcomes(journal.records) == outcomes(RECORDS[:1])
        # With space again it goes on.
        assert journal.add(RECORDS[1])
    with Journal(folder) as journal:
        assert outcomes(journal.records) == outcomes(RECORDS[:2])
        assert journal.notes == []


def test_what_a_failed_write_left_is_cut_off_by_the_next(folder):
    folder.mkdir()
    lines = JsonLines(folder / "a.jsonl", str, str)
    lines.append('{"a": 1}')
    with (folder / "a.jsonl").open("ab") as file:
        file.write(b'{"a": ')
    lines.append('{"a": 2}')
    assert JsonLines(folder / "a.jsonl", str, str).values == ['{"a": 1}', '{"a": 2}']


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot be written"):
        Journal(tmp_path / "file" / "sweep")


HOLD = """
import sys, time
from supra_experiments.sweep.journal import Journal
journal = Journal(sys.argv[1])
print("open", flush=True)
time.sleep(600)
"""


def test_two_writers_are_refused_and_a_killed_one_lets_go(folder):
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "open\n"
        with pytest.raises(JournalError, match="another sweep is writing here") as caught:
            Journal(folder)
        assert "\n" not in str(caught.value)
    finally:
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        other.stdout.close()
    with Journal(folder) as journal:
        assert journal.add(RECORDS[0])


# ── failures, searches and the sweep itself ────────────────────────────────────────────────────────────────


def test_failures_are_listed_until_the_run_succeeds(folder):
    def failure(seed, reason, attempts=1):
        digest = Config(model="degree", seed=seed).digest
        return Failure(digest=digest, cell=CELL, seed=seed, reason=reason, kind="memory", attempts=attempts)

    with Journal(folder) as journal:
        journal.add_failure(failure(0, "no memory “here”\n", 1))
        journal.add_failure(failure(1, "again"))
        journal.add_failure(failure(0, "still none", 3))
        assert [(f.seed, f.reason, f.attempts) for f in journal.failures] == [
            (0, "still none", 3),
            (1, "again", 1),
        ]
        journal.add(RECORDS[0])
        assert [f.seed for f in journal.failures] == [1]
    with Journal(folder) as journal:
        assert journal.failures == (failure(1, "again"),)
        assert len((folder / "failures.jsonl").read_text().splitlines()) == 3


def test_trials_of_searches_come_back_as_they_were(folder):
    trials = [
        SearchTrial(
            digest="d",
            cell=CELL,
            settings={"lr": 1e-8, "pe_init": "previous", "k": 4, "active_only": True},
            criterion="train_loss",
            value=0.1234567890123456,
            epochs=20,
            stopped_early=True,
        ),
        SearchTrial(
            digest="e", cell=CELL, settings={}, criterion="train_loss", value=None, epochs=0, status="failed"
        ),
    ]
    with Journal(folder) as journal:
        for trial in trials:
            journal.add_search(trial)
    with Journal(folder) as journal:
        assert journal.search_trials == tuple(trials)
        assert all(json.loads(line) for line in (folder / "search.jsonl").read_text().splitlines())


def test_the_sweep_is_kept_beside_its_records(folder):
    spec = SweepSpec.from_toml(SMALL)
    with Journal(folder) as journal:
        assert journal.spec is None
        journal.write_spec(spec)
    with Journal(folder) as journal:
        assert journal.spec == spec


# ── a changed file ─────────────────────────────────────────────────────────────────────────────────────────


def test_nothing_changed():
    assert compare(SweepSpec.from_toml(SMALL), SweepSpec.from_toml(SMALL)).lines() == ()
    # Neither a name nor what trials reserve makes a run another one.
    other = SMALL.replace("small", "other") + "[resources]\ncpus = 2"
    assert compare(SweepSpec.from_toml(SMALL), SweepSpec.from_toml(other)).lines() == ()


def test_seeds_and_models_come_and_go():
    old = SweepSpec.from_toml(SMALL)
    new = SweepSpec.from_toml(SMALL.replace('"grugcn"', '"slate"').replace("seeds = 2", "seeds = [1, 2, 3]"))
    change = compare(old, new)
    before, after = ({(Cell.of(run), run.training.seed) for run in spec.runs()} for spec in (old, new))
    assert set(change.new) == after - before
    assert set(change.dropped) == before - after
    assert "new: demo htgn none zeros, seeds 2, 3" in change.lines()
    assert "dropped: demo htgn none zeros, seed 0" in change.lines()
    assert "dropped: demo grugcn slpe-i zeros, seeds 0, 1" in change.lines()


def test_a_long_list_is_told_short():
    old, new = SweepSpec.read("quick"), SweepSpec.read("grid-default")
    lines = compare(old, new).lines()
    # 252 cells of three other datasets, their scores without learning, and four more seeds for enron10's 84.
    assert (len(lines), lines[-1]) == (21, f"new: {252 + 12 + 84 - 20} more cells")


def test_another_setting_makes_all_runs_new_that_have_it():
    change = compare(SweepSpec.from_toml(SMALL), SweepSpec.from_toml(SMALL + "[by_model.htgn]\nlr = 0.5"))
    assert {cell.model for cell, _ in change.new} == {"htgn"}
    assert set(change.new) == set(change.dropped)


def test_another_search_makes_all_runs_new_that_it_changes():
    text = SMALL + 'mode = "search"\nnum_trials = {}\n[search]\nlr = [0.1, 0.01]\nk = {}'
    old, more, other_k = (
        SweepSpec.from_toml(text.format(*parts)) for parts in [(5, "[4]"), (6, "[4]"), (5, "[4, 8]")]
    )
    assert {cell.model for cell, _ in compare(old, more).new} == {"htgn", "grugcn"}
    # Where there is no encoding, its settings change nothing.
    assert {cell.pe for cell, _ in compare(old, other_k).new} == {"slpe-i"}
