"""Runs that train as one give what each gives alone, and end, fail and go on each for itself."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.func import functional_call

from supra_experiments.config import Config
from supra_experiments.errors import ConfigError
from supra_experiments.training.fit import fit
from supra_experiments.training.pack import RunDropout
from supra_experiments.training.pack_fit import fit_pack, try_pack
from supra_experiments.training.pair_history import TrainingPairs
from supra_experiments.training.record import RunRecord

from ..toys import QUICK, toy

STACKABLE = ("egcn-h", "egcn-o", "grugcn", "htgn", "slate")


def losses(record: RunRecord) -> list[float]:
    return [epoch.loss for epoch in record.history]


def assert_alike(packed: RunRecord, alone: RunRecord, rel: float = 1e-4) -> None:
    """The same to rounding."""
    assert packed.config == alone.config
    assert losses(packed) == pytest.approx(losses(alone), rel=rel)
    assert packed.best_epoch == alone.best_epoch
    assert (packed.selection, packed.num_parameters) == (alone.selection, alone.num_parameters)
    assert packed.test.auc == pytest.approx(alone.test.auc, abs=2e-3)
    assert packed.test_new.auc == pytest.approx(alone.test_new.auc, abs=2e-3)
    assert packed.num_negatives == alone.num_negatives


@pytest.fixture
def drawn(monkeypatch):
    """The negatives of each run, in the order in which the runs were made."""
    found: dict[TrainingPairs, list[np.ndarray]] = {}
    real = TrainingPairs.non_edges

    def spy(self, *arguments):
        answer = real(self, *arguments)
        found.setdefault(self, []).append(answer)
        return answer

    monkeypatch.setattr(TrainingPairs, "non_edges", spy)
    return found


# ── as alone ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def double_precision():
    """In single precision rounding grows: a point clipped in one run and not in the other parts them."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("model", STACKABLE)
def test_a_pack_on_enron10_is_the_runs_alone(model, drawn):
    """Other seeds, rates, decays, dropout: 20 epochs."""
    rate = 5e-4 if model == "slate" else 0.01
    base = Config(dataset="enron10", model=model, max_epochs=20, hidden_channels=16, lr=rate)
    runs = [
        base,
        base.replace(seed=2, lr=0.3 * rate, weight_decay=1e-3, consistency=0.5),
        base.replace(seed=3, dropout=0.2, lr=0.5 * rate),
    ]
    alone = [fit(config) for config in runs]
    before = list(drawn.values())
    drawn.clear()
    packed = fit_pack(runs)
    for one, other in zip(packed, alone, strict=True):
        assert_alike(one, other, rel=1e-6)
        assert one.timings.pack == 3
        assert other.timings.pack == 1
    assert len(before) == len(drawn) == 3
    for own, together in zip(before, drawn.values(), strict=True):
        assert len(own) == len(together) > 0
        assert all(np.array_equal(a, b) for a, b in zip(own, together, strict=True))


PES = st.sampled_from(["slpe-e", "slpe-i", "lpe-e", "lpe-i"])


@settings(max_examples=8)
@given(
    model=st.sampled_from(STACKABLE),
    features=st.sampled_from(["one-hot", "random", "zeros"]),
    pes=st.none() | st.lists(PES, min_size=3, max_size=3),
    flips=st.booleans(),
    validation=st.integers(0, 1),
    protocol=st.sampled_from(["autoencode", "next"]),
    seed=st.integers(0, 99),
)
def test_any_pack_is_the_runs_alone(model, features, pes, flips, validation, protocol, seed):
    dataset = toy(validation=validation)
    heads = 2 if model == "slate" else None
    base = QUICK.replace(model=model, features=features, protocol=protocol, max_epochs=4, num_heads=heads)
    runs = [
        base.replace(
            seed=seed + i,
            pe=pe,
            flip_signs=flips and i == 1,
            dropout=0.3 * (i == 2),
            grad_clip=0.5 if i == 0 else None,
        )
        for i, pe in enumerate(pes or ["none"] * 3)
    ]
    for one, config in zip(fit_pack(runs, dataset=dataset), runs, strict=True):
        alone = fit(config, dataset=dataset)
        assert losses(one) == pytest.approx(losses(alone), rel=1e-3)
        assert one.encoding.get("channels") == alone.encoding.get("channels")
        if validation or protocol == "next":
            found, expected = ([e.validation_auc for e in r.history] for r in (one, alone))
            assert found == pytest.approx(expected, abs=0.05)


def test_curvatures_and_starts_may_differ():
    base = QUICK.replace(model="htgn", max_epochs=3)
    changes = [{}, {"curvature": 0.5}, {"hidden_init": "constant"}]
    runs = [base.replace(**change) for change in changes]
    for one, config in zip(fit_pack(runs, dataset=toy()), runs, strict=True):
        assert losses(one) == pytest.approx(losses(fit(config, dataset=toy())), rel=1e-4)
    learned = [base.replace(learn_curvature=True, seed=seed) for seed in range(2)]
    for one, config in zip(fit_pack(learned, dataset=toy()), learned, strict=True):
        assert losses(one) == pytest.approx(losses(fit(config, dataset=toy())), rel=1e-4)


def test_dropout_is_drawn_as_pytorch_draws_it_alone():
    x = torch.randn(3, 40, 8)
    dropout = RunDropout([0.2, 0.0, 0.6])
    dropout.seed([5, 6, 7])
    found = [dropout(x) for _ in range(2)]
    for i, (rate, seed) in enumerate([(0.2, 5), (0.0, 6), (0.6, 7)]):
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            for answer in found:
                torch.testing.assert_close(
                    answer[i], torch.nn.functional.dropout(x[i].clone().requires_grad_(), rate).detach()
                )
    assert torch.equal(dropout.eval()(x), x)


def test_a_pack_leaves_the_callers_random_state_and_threads_alone():
    torch.manual_seed(7)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    fit_pack([QUICK.replace(model="grugcn", dropout=0.5, seed=seed) for seed in range(2)], dataset=toy())
    assert torch.equal(state, torch.get_rng_state())
    assert torch.get_num_threads() == threads


# ── each for itself ────────────────────────────────────────────────────────────────────────────────────────


def test_runs_stop_when_their_own_patience_ends():
    base = QUICK.replace(model="grugcn", max_epochs=40, min_epochs=3, patience=2)
    runs = [base.replace(lr=lr, seed=seed) for seed, lr in enumerate([0.5, 0.01, 0.3])]
    runs.append(base.replace(max_epochs=5))
    packed = fit_pack(runs, dataset=toy())
    alone = [fit(config, dataset=toy()) for config in runs]
    assert len({len(record.history) for record in alone}) > 2
    assert [len(record.history) for record in packed] == [len(record.history) for record in alone]
    assert [record.best_epoch for record in packed] == [record.best_epoch for record in alone]


def test_a_run_that_diverges_does_so_alone():
    base = QUICK.replace(model="egcn-h", max_epochs=8)
    wild, calm = fit_pack([base.replace(lr=1e30), base], dataset=toy())
    assert wild.diverged
    assert len(wild.history) < 8
    assert not calm.diverged
    assert losses(calm) == pytest.approx(losses(fit(base, dataset=toy())), rel=1e-4)


def test_a_run_that_raises_does_so_alone():
    runs = [QUICK.replace(model="grugcn", seed=seed, max_epochs=4) for seed in range(3)]
    seen = []

    def refuse(i, epoch):
        seen.append((i, epoch.epoch))
        if (i, epoch.epoch) == (1, 2):
            raise ValueError("enough")

    outcomes = try_pack(runs, dataset=toy(), on_epoch=refuse)
    assert isinstance(outcomes[1], ValueError)
    for i in (0, 2):
        assert losses(outcomes[i]) == pytest.approx(losses(fit(runs[i], dataset=toy())), rel=1e-4)
    assert seen.count((1, 2)) == 1
    assert (1, 3) not in seen
    assert {(0, 4), (2, 4)} < set(seen)
    with pytest.raises(ValueError, match="enough"):
        fit_pack(runs, dataset=toy(), on_epoch=refuse)


def test_each_outcome_is_told_as_soon_as_the_run_is_over():
    base = QUICK.replace(model="grugcn", max_epochs=4)
    runs = [base, base.replace(max_epochs=2, seed=1), base.replace(max_epochs=3, seed=2)]
    told = []
    outcomes = try_pack(
        runs,
        dataset=toy(),
        on_epoch=lambda i, epoch: told.append((i, epoch.epoch)),
        on_outcome=lambda i, outcome: told.append((i, outcome)),
    )
    # All epochs of the others that come before it, and none that come after.
    assert [told.index((i, outcome)) for i, outcome in enumerate(outcomes)] == [11, 6, 9]


def test_runs_of_a_pack_that_fails_as_a_whole_go_on_alone(monkeypatch):
    runs = [QUICK.replace(model="grugcn", seed=seed, max_epochs=2) for seed in range(2)]
    monkeypatch.setattr("supra_experiments.training.pack.functional_call", lambda *given: 1 / 0)
    with pytest.warns(UserWarning, match="a pack of 2 runs failed, they go on alone: division by zero"):
        records = fit_pack(runs, dataset=toy())
    assert [record.outcome() for record in records] == [fit(c, dataset=toy()).outcome() for c in runs]


def test_a_run_that_was_done_before_its_pack_failed_stays_done(monkeypatch):
    base = QUICK.replace(model="grugcn", max_epochs=3)
    runs = [base.replace(max_epochs=1), base.replace(seed=1), base.replace(seed=2)]
    calls = []

    def fails_in_the_second_epoch(*given):
        calls.append(given)
        return functional_call(*given) if len(calls) <= 4 else 1 / 0  # four training snapshots

    monkeypatch.setattr("supra_experiments.training.pack.functional_call", fails_in_the_second_epoch)
    with pytest.warns(UserWarning, match="a pack of 2 runs failed"):
        records = fit_pack(runs, dataset=toy())
    assert [record.timings.pack for record in records] == [3, 1, 1]
    assert [len(record.history) for record in records] == [1, 3, 3]


class KilledError(BaseException):
    """What no run may catch."""


@pytest.mark.parametrize("model", ["grugcn", "egcn-h"])
def test_a_pack_that_is_killed_goes_on_where_each_run_was(tmp_path, model):
    base = QUICK.replace(model=model, pe="slpe-i", dropout=0.3, max_epochs=8)
    runs = [base.replace(seed=seed) for seed in range(3)]
    paths = [tmp_path / f"{seed}.pt" for seed in range(3)]

    def kill(i, epoch):
        if (i, epoch.epoch) == (1, 5):
            raise KilledError

    options = {"dataset": toy(), "checkpoints": paths, "checkpoint_every": 2}
    with pytest.raises(KilledError):
        fit_pack(runs, on_epoch=kill, **options)
    fit(runs[2], dataset=toy(), checkpoint=paths[2])  # one of them goes on alone
    seen = []
    resumed = fit_pack(runs, on_epoch=lambda i, epoch: seen.append((i, epoch.epoch)), **options)
    assert seen == [(i, epoch) for epoch in range(5, 9) for i in (0, 1)]
    for record, config in zip(resumed, runs, strict=True):
        assert losses(record) == pytest.approx(losses(fit(config, dataset=toy())), rel=1e-4)


# ── what fits together, and what does not ──────────────────────────────────────────────────────────────────


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(ConfigError, match="configs of 2 runs: must fit together"):
        fit_pack([QUICK.replace(model="grugcn"), QUICK.replace(model="htgn")], dataset=toy())
    with pytest.raises(ConfigError, match="checkpoints=1 files: must be as many as the 2 configs"):
        fit_pack([QUICK.replace(model="grugcn")] * 2, dataset=toy(), checkpoints=["a.pt"])


@pytest.mark.parametrize("model", ["grugcn", "slate"])
@pytest.mark.parametrize("settings", [{"decoder": "mlp"}, {"decoder_history": True, "protocol": "next"}])
def test_decoders_with_weights_of_their_own_train_in_packs(model, settings):
    base = QUICK.replace(model=model, num_heads=2 if model == "slate" else None, max_epochs=4, **settings)
    runs = [base.replace(seed=seed, dropout=0.2 * (seed == 1)) for seed in range(3)]
    for one, config in zip(fit_pack(runs, dataset=toy()), runs, strict=True):
        alone = fit(config, dataset=toy())
        assert one.timings.pack == 3
        assert losses(one) == pytest.approx(losses(alone), rel=1e-3)
        assert one.test.auc == pytest.approx(alone.test.auc, abs=0.05)


@pytest.mark.parametrize("model", ["slate", "logistic", "degree"])
def test_a_pack_of_one_is_a_run(model):
    config = QUICK.replace(model=model, num_heads=2, max_epochs=2)
    [record] = fit_pack([config], dataset=toy())
    assert record.outcome() == fit(config, dataset=toy()).outcome()
    assert record.timings.pack == 1
    assert not math.isnan(record.test.auc)
