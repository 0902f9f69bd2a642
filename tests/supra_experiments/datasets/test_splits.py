import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_experiments.datasets import REGISTRY
from supra_experiments.datasets.splits import Fractions, LastSnapshots, Split


@pytest.mark.parametrize(
    ("name", "train", "validation", "test", "selection"),
    [
        ("as733", range(20), range(0), range(20, 30), "train_loss"),
        ("dblp", range(7), range(0), range(7, 10), "train_loss"),
        ("enron10", range(8), range(0), range(8, 11), "train_loss"),
        ("canparl", range(10), range(10, 12), range(12, 14), "validation_auc"),
    ],
)
def test_the_published_splits(name, train, validation, test, selection):
    entry = REGISTRY[name]
    split = entry.split.split(entry.num_snapshots)
    assert list(split.train) == list(train)
    assert list(split.validation) == list(validation)
    assert list(split.test) == list(test)
    assert split.selection == selection


@given(st.integers(1, 40), st.integers(1, 10), st.integers(0, 10))
def test_every_snapshot_has_one_role_in_order_of_time(num_snapshots, test, validation):
    rule = LastSnapshots(test=test, validation=validation)
    if test + validation >= num_snapshots:
        with pytest.raises(ValueError, match=f"num_snapshots={num_snapshots}: must exceed"):
            rule.split(num_snapshots)
        return
    split = rule.split(num_snapshots)
    assert [*split.train, *split.validation, *split.test] == list(range(num_snapshots))


def test_no_split_selects_on_the_test_set():
    for split in (Split(3, 0, 2), Split(3, 1, 2)):
        assert split.selection in ("train_loss", "validation_auc")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Split(0, 0, 1), "num_train=0: must be an integer >= 1"),
        (lambda: Split(2, -1, 1), "num_validation=-1: must be an integer >= 0"),
        (lambda: LastSnapshots(test=0), "test=0: must be an integer >= 1"),
        (lambda: Fractions(validation=0.1, test=0.0), "test=0.0: must be above 0"),
        (lambda: Fractions(validation=1.5, test=0.1), "validation=1.5: must be a number in 0 .. 1"),
    ],
)
def test_bad_splits_die_in_the_constructor(make, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        make()


def test_a_split_says_what_it_does():
    assert str(Split(8, 0, 3)) == "train 0–7, test 8–10; epoch chosen by lowest training loss"
    assert str(Split(10, 2, 1)) == "train 0–9, validation 10–11, test 12; epoch chosen by best validation AUC"
