"""Runs that are killed go on from their checkpoints, and end as if nothing had happened."""

import signal
import subprocess
import sys
import textwrap

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from supra_experiments.config import Config
from supra_experiments.errors import CheckpointError
from supra_experiments.training.fit import fit

from ..toys import QUICK, toy, with_other_future


class KilledError(Exception):
    pass


@settings(max_examples=6)
@given(
    st.sampled_from(["grugcn", "egcn-o", "htgn", "slate"]),
    st.integers(1, 7),
    st.integers(1, 4),
    st.booleans(),
)
def test_a_run_killed_at_any_epoch_and_resumed_equals_the_uninterrupted_one(
    tmp_path_factory, model, epoch, every, validation
):
    path = tmp_path_factory.mktemp("run") / "run.pt"
    config = QUICK.replace(model=model, pe="slpe-i", dropout=0.3, num_heads=2, max_epochs=8)
    dataset = toy(validation=int(validation))

    def kill(record):
        if record.epoch == epoch:
            raise KilledError

    with pytest.raises(KilledError):
        fit(config, dataset=dataset, checkpoint=path, checkpoint_every=every, on_epoch=kill)
    seen = []
    resumed = fit(
        config,
        dataset=dataset,
        checkpoint=path,
        checkpoint_every=every,
        on_epoch=lambda e: seen.append(e.epoch),
    )
    assert seen == list(range(1 + epoch // every * every, 9))
    assert resumed.outcome() == fit(config, dataset=dataset).outcome()
    # Once finished there is nothing left to train, and the answer is the same.
    again = fit(config, dataset=dataset, checkpoint=path, on_epoch=lambda e: pytest.fail("trained again"))
    assert again.outcome() == resumed.outcome()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a POSIX kill")
def test_a_process_killed_in_the_middle_of_an_epoch(tmp_path):
    path = tmp_path / "run.pt"
    script = f"""
        import os, signal
        from supra_experiments import Config, fit
        config = Config(model="grugcn", max_epochs=12, pe="slpe-i", k=2, max_steps=2, hidden_channels=4)
        def kill(epoch):
            if epoch.epoch == 7:
                os.kill(os.getpid(), signal.SIGKILL)
        fit(config, checkpoint={str(path)!r}, checkpoint_every=3, on_epoch=kill)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert done.returncode == -signal.SIGKILL
    config = Config(model="grugcn", max_epochs=12, pe="slpe-i", k=2, max_steps=2, hidden_channels=4)
    seen = []
    resumed = fit(config, checkpoint=path, on_epoch=lambda epoch: seen.append(epoch.epoch))
    assert seen == list(range(7, 13))
    assert resumed.outcome() == fit(config).outcome()


def test_checkpoints_of_other_runs_and_broken_ones_are_refused(tmp_path):
    path = tmp_path / "run.pt"
    config = QUICK.replace(model="grugcn", max_epochs=2)
    fit(config, dataset=toy(), checkpoint=path)
    with pytest.raises(CheckpointError, match="belongs to another run; remove it to start afresh"):
        fit(config.replace(seed=1), dataset=toy(), checkpoint=path)
    with pytest.raises(CheckpointError, match="belongs to another run"):
        fit(config, dataset=toy(with_other_future(toy().graph, 4)), checkpoint=path)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        fit(config, dataset=toy(), checkpoint=path)


def test_a_checkpoint_never_runs_code(tmp_path):
    class Evil:
        def __reduce__(self):
            return (pytest.fail, ("code of a checkpoint was run",))

    path = tmp_path / "run.pt"
    torch.save({"version": 1, "digest": Evil()}, path)
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        fit(QUICK.replace(model="grugcn"), dataset=toy(), checkpoint=path)
