"""Events: each has the encodings of its two nodes as they were before its snapshot began."""

import copy
import pickle
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supra_core import Encoder, InvalidArgumentError, InvalidGraphError, SupraError, TemporalGraph

torch = pytest.importorskip("torch", reason="the extra pyg is not installed")
pytest.importorskip("torch_geometric", reason="the extra pyg is not installed")

import torch_geometric.transforms as T  # noqa: E402, N812
from torch_geometric.data import TemporalData  # noqa: E402
from torch_geometric.loader import TemporalDataLoader  # noqa: E402

from supra_core.pyg import AddSupraLaplacianPE  # noqa: E402

SETTINGS = {"k": 3, "window": 2, "align": None}
WALKED = {"k": 3, "window": 2, "align": "rotation", "absent": "last", "scale": "rows", "with_age": True}
pytestmark = pytest.mark.filterwarnings("ignore::supra_core.errors.TruncationWarning")


def stream(source, target, time, **more):
    return TemporalData(src=torch.tensor(source), dst=torch.tensor(target), t=torch.tensor(time), **more)


def drawn(num_events=200, num_nodes=15, num_bins=8, seed=0):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, num_nodes, (2, num_events))
    return stream(*ends.tolist(), np.sort(rng.integers(0, 10 * num_bins, num_events)).tolist())


def literal(data, width, **settings):
    """By the definition: event after event, the snapshots before its own are built and encoded alone."""
    source, target, time = data.src.numpy(), data.dst.numpy(), data.t.numpy()
    num_nodes = max(source.max(), target.max()) + 1
    bins = (time - time.min()) // width
    rows = np.zeros((2, len(time), Encoder(**settings).dim))
    for e, b in enumerate(bins):
        past = bins < b
        if b > 0:
            graph = TemporalGraph.from_edges(
                source[past], target[past], bins[past], num_nodes=num_nodes, num_snapshots=b
            )
            values = Encoder(**settings).encode(graph, b - 1).values
            rows[0, e], rows[1, e] = values[source[e]], values[target[e]]
    return rows


@pytest.mark.parametrize("method", ["slpe", "lpe"])
def test_against_the_definition(method):
    data = drawn()
    encoded = AddSupraLaplacianPE(width=10, method=method, **SETTINGS)(data)
    source, target = literal(data, 10, method=method, **SETTINGS)
    np.testing.assert_allclose(encoded.src_pe.numpy(), source, atol=1e-5)
    np.testing.assert_allclose(encoded.dst_pe.numpy(), target, atol=1e-5)
    np.testing.assert_array_equal(encoded.pe_snapshot.numpy(), (data.t - data.t.min()).numpy() // 10)
    assert source.any()
    assert encoded.src_pe.dtype == torch.get_default_dtype()
    assert "src_pe" not in data


@pytest.mark.property
@settings(deadline=None)
@given(
    events=st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 29)), min_size=1, max_size=25
    ),
    others=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 99)), max_size=25),
    width=st.integers(1, 12),
    boundary=st.integers(0, 6),
    settings=st.sampled_from([SETTINGS, WALKED]),
    data=st.data(),
)
def test_nothing_later_or_simultaneous_is_seen(events, others, width, boundary, settings, data):
    """Replace all events from one snapshot on: what came before, and what it knew, is unchanged.

    The events of the first replaced snapshot keep what they know, too: their ends may change, not the rest.
    """
    start = min(time for _, _, time in events)
    kept = [event for event in events if (event[2] - start) // width < boundary]
    replaced = [event for event in events if (event[2] - start) // width >= boundary]
    cut = start + boundary * width
    # A node of the same snapshot whose other end is another: it must not matter whom it meets.
    rewired = [(u, data.draw(st.integers(0, 5)), t) for u, _, t in replaced if t < cut + width]
    later = rewired + [(u, v, cut + width + t) for u, v, t in others]
    # The nodes 0 .. 5 exist in both, and the first event stays the first.
    ends = [(v, v, start) for v in range(6)]
    transform = AddSupraLaplacianPE(width=width, **settings)
    before = transform(stream(*map(list, zip(*ends, *kept, *replaced, strict=True))))
    after = transform(stream(*map(list, zip(*ends, *kept, *later, strict=True))))
    same = 6 + len(kept)
    assert torch.equal(before.src_pe[:same], after.src_pe[:same])
    assert torch.equal(before.dst_pe[:same], after.dst_pe[:same])
    simultaneous = [i for i, (_, _, t) in enumerate(replaced) if t < cut + width]
    for place, i in enumerate(simultaneous):
        assert torch.equal(before.src_pe[same + i], after.src_pe[same + place])


def test_with_a_number_of_snapshots_ends_of_later_events_do_not_matter():
    data = drawn()
    transform = AddSupraLaplacianPE(num_snapshots=8, **SETTINGS)
    before = transform(data)
    for s in range(8):
        changed, later = copy.copy(data), before.pe_snapshot >= s
        changed.src = torch.where(later, torch.flip(data.src, [0]), data.src)
        after = transform(changed)
        assert torch.equal(before.pe_snapshot, after.pe_snapshot)
        known = before.pe_snapshot <= s
        assert torch.equal(before.dst_pe[known], after.dst_pe[known])
        assert torch.equal(before.src_pe[~later], after.src_pe[~later])


@pytest.mark.parametrize("every", ["hour", "day", "week", "month", "quarter", "year"])
def test_snapshots_of_the_calendar(every):
    """Against Python's own calendar; t is in seconds, as in the Temporal Graph Benchmark."""
    rng = np.random.default_rng(1)
    days = {"hour": 0.5, "day": 20, "week": 90}.get(every, 900)
    t = np.sort(rng.integers(0, int(days * 86_400), 120)) + 1_082_040_961
    data = stream(*rng.integers(0, 12, (2, 120)).tolist(), t.tolist())
    encoded = AddSupraLaplacianPE(every=every, unit="s", **SETTINGS)(data)
    dates = [datetime.fromtimestamp(s, tz=UTC) for s in t.tolist()]
    number = {
        "hour": lambda d: int(d.timestamp()) // 3600,
        "day": lambda d: d.toordinal(),
        "week": lambda d: (d.toordinal() - 1) // 7,  # day 1 was a Monday
        "month": lambda d: 12 * d.year + d.month - 1,
        "quarter": lambda d: (12 * d.year + d.month - 1) // 3,
        "year": lambda d: d.year,
    }[every]
    expected = [number(date) - number(dates[0]) for date in dates]
    assert encoded.pe_snapshot.tolist() == expected
    by_number = stream(data.src.tolist(), data.dst.tolist(), expected)
    assert torch.equal(encoded.src_pe, AddSupraLaplacianPE(width=1, **SETTINGS)(by_number).src_pe)


def test_the_first_snapshot_knows_nothing():
    data = drawn()
    encoded = AddSupraLaplacianPE(width=10, **SETTINGS)(data)
    first = encoded.pe_snapshot == 0
    assert not encoded.src_pe[first].any()
    assert not encoded.dst_pe[first].any()
    one = AddSupraLaplacianPE(num_snapshots=1, **SETTINGS)(data)
    assert not one.src_pe.any()


def test_order_and_types_of_the_events_do_not_matter():
    data, transform = drawn(), AddSupraLaplacianPE(width=10, **SETTINGS)
    expected = transform(data)
    shuffled = torch.randperm(200, generator=torch.Generator().manual_seed(0))
    encoded = transform(data[shuffled])
    assert torch.equal(encoded.src_pe, expected.src_pe[shuffled])
    assert torch.equal(encoded.pe_snapshot, expected.pe_snapshot[shuffled])
    narrow = stream(data.src.tolist(), data.dst.tolist(), data.t.tolist())
    narrow.src, narrow.dst, narrow.t = narrow.src.int(), narrow.dst.int(), narrow.t.double()
    assert torch.equal(transform(narrow).dst_pe, expected.dst_pe)


def test_weights_count_and_repeated_events_add_up():
    twice = stream([0, 0, 1, 2, 0], [1, 1, 2, 3, 3], [0, 1, 2, 3, 10])
    once = stream([0, 1, 2, 0], [1, 2, 3, 3], [0, 2, 3, 10], edge_weight=torch.tensor([2.0, 1.0, 1.0, 1.0]))
    transform = AddSupraLaplacianPE(width=10, k=2, normalization="sym")
    torch.testing.assert_close(transform(twice).src_pe[-1], transform(once).src_pe[-1])
    assert not torch.allclose(
        transform(twice).src_pe[-1], transform(stream([0, 1, 2, 0], [1, 2, 3, 3], [0, 2, 3, 10])).src_pe[-1]
    )


def test_loaders_cut_batches():
    data = drawn()
    data.msg = torch.arange(200)[:, None].float()
    encoded = T.Compose([AddSupraLaplacianPE(width=10, **SETTINGS)])(data)
    loader = TemporalDataLoader(encoded, batch_size=64, neg_sampling_ratio=1.0)
    batches = list(loader)
    assert [len(batch.src_pe) for batch in batches] == [64, 64, 64, 8]
    assert torch.equal(torch.cat([batch.src_pe for batch in batches]), encoded.src_pe)
    train, val, test = encoded.train_val_test_split()
    assert torch.equal(torch.cat([part.dst_pe for part in (train, val, test)]), encoded.dst_pe)
    table = AddSupraLaplacianPE(width=10, **SETTINGS).table(data)
    assert table.shape == (int(encoded.pe_snapshot.max()) + 1, 15, 3)
    for batch in batches:
        assert torch.equal(table[batch.pe_snapshot, batch.src], batch.src_pe)
        assert torch.equal(table[batch.pe_snapshot, batch.dst], batch.dst_pe)
        assert table[batch.pe_snapshot, batch.neg_dst].shape == batch.dst_pe.shape


def test_names_and_repr():
    transform = AddSupraLaplacianPE(2, "where", width=10)
    assert {"src_where", "dst_where", "where_snapshot"} <= set(transform(drawn()).to_dict())
    assert "width=10" in repr(transform)
    assert repr(pickle.loads(pickle.dumps(transform))) == repr(transform)


REFUSED = {
    "no bins": (lambda: AddSupraLaplacianPE(2)(drawn()), "num_snapshots=None, width=None"),
    "two bins": (
        lambda: AddSupraLaplacianPE(2, width=1, num_snapshots=3)(drawn()),
        "num_snapshots=3, width=1",
    ),
    "a calendar without a unit": (
        lambda: AddSupraLaplacianPE(2, every="day")(drawn()),
        "every='day': must be left",
    ),
    "no name": (lambda: AddSupraLaplacianPE(2, None, width=1)(drawn()), "attr_name=None: must be a name"),
    "layers": (lambda: AddSupraLaplacianPE(2, layers=True, width=1)(drawn()), "layers=True: must be False"),
    "no times": (
        lambda: AddSupraLaplacianPE(2, width=1)(TemporalData(src=torch.tensor([0]), dst=torch.tensor([1]))),
        "TemporalData with src, dst and t; it has no t",
    ),
    "an id": (lambda: AddSupraLaplacianPE(2, width=1)(stream([-1], [0], [0])), r"data.src\[0\]=-1"),
    "a time": (lambda: AddSupraLaplacianPE(2, width=1)(stream([1], [0], [float("nan")])), "timestamp"),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(call, message):
    with pytest.raises(SupraError, match=message) as caught:
        call()
    assert isinstance(caught.value, (InvalidArgumentError, InvalidGraphError))
