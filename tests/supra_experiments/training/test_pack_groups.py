"""Which runs may train as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_experiments.config import Config
from supra_experiments.training.pack_groups import fit_together, group_into_packs, is_stackable

CONFIGS = st.builds(
    Config,
    model=st.sampled_from(["egcn", "egcn-h", "grugcn", "slate", "logistic", "degree"]),
    features=st.sampled_from(["one-hot", "zeros", "random"]),
    random_channels=st.sampled_from([1, 128]),
    pe=st.sampled_from(["none", "slpe-e", "lpe-i", "slpe-t"]),
    hidden_channels=st.sampled_from([None, 16, 8]),
    decoder=st.sampled_from([None, "mlp"]),
    seed=st.integers(0, 3),
    lr=st.sampled_from([None, 0.1]),
)


@given(st.lists(CONFIGS, max_size=12), st.integers(1, 5))
def test_packs_hold_every_run_once_and_only_what_fits_together(configs, limit):
    packs = group_into_packs(configs, limit)
    assert sorted(id(config) for pack in packs for config in pack) == sorted(map(id, configs))
    for pack in packs:
        assert 1 <= len(pack) <= limit
        assert fit_together(pack)
        assert len(pack) == 1 or all(map(is_stackable, pack))
    # No two packs of a kind could be one.
    for i, one in enumerate(packs):
        for other in packs[i + 1 :]:
            assert len(one) + len(other) > limit or not fit_together([*one, *other])


@pytest.mark.parametrize(
    ("change", "together"),
    [
        ({"seed": 1}, True),
        ({"lr": 0.1, "weight_decay": 0.0, "dropout": 0.5, "patience": 3}, True),
        ({"pe": "lpe-i", "coupling": 3.0}, True),
        ({"features": "random", "random_channels": 1}, True),
        ({"k": 3}, False),
        ({"pe": "none"}, False),
        ({"features": "one-hot"}, False),
        ({"hidden_channels": 8}, False),
        ({"model": "grugcn"}, False),
        ({"dataset": "dblp"}, False),
        ({"negatives": "active"}, False),
        ({"protocol": "next"}, False),
        ({"device": "cuda"}, False),
    ],
)
def test_runs_fit_together_where_their_shapes_agree(change, together):
    config = Config(dataset="enron10", model="htgn", pe="slpe-e", features="zeros")
    assert fit_together([config, config.replace(**change)]) == together
