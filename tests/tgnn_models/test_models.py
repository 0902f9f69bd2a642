"""What holds for all four models."""

import copy

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode
from torch_geometric.data import Data

from tgnn_models import State, build, prepare

from .cases import CASES, every_model, make, shaken, state_of
from .graphs import random_snapshots, relabelled, temporal_graphs

PE = 3


def permuted(state: State, order: torch.Tensor, case: str) -> State:
    """GRUGCN and HTGN remember nodes, (window, node, channel); EGCN remembers weights, SLATE nothing."""
    if CASES[case][0] in ("grugcn", "htgn"):
        return State(tuple(tensor[:, order] for tensor in state.tensors))
    return state


@every_model
@given(data=st.data())
def test_nodes_and_edges_may_come_in_any_order(case, data):
    one_hot = data.draw(st.booleans())
    snapshots = data.draw(temporal_graphs(pe_channels=PE, one_hot=one_hot, dtype=torch.float64))
    num_nodes = snapshots[0].num_nodes
    model, decoder = make(case, 8 if one_hot else 5, pe_channels=PE, seed=data.draw(st.integers(0, 99)))
    model, decoder = shaken(model.double()), decoder.double()
    order = torch.tensor(data.draw(st.permutations(range(num_nodes))))
    state = state_of(model, num_nodes)

    z, after = model(snapshots, state)
    z_other, after_other = model(relabelled(snapshots, order, edge_seed=1), permuted(state, order, case))

    torch.testing.assert_close(z_other, z[order], rtol=1e-8, atol=1e-9)
    for left, right in zip(after_other.tensors, permuted(after, order, case).tensors, strict=True):
        torch.testing.assert_close(left, right, rtol=1e-8, atol=1e-9)
    pairs = torch.cartesian_prod(torch.arange(num_nodes), torch.arange(num_nodes)).t()
    torch.testing.assert_close(decoder(z_other, pairs), decoder(z, order[pairs]), rtol=1e-7, atol=1e-8)


@every_model
def test_gradients_reach_every_parameter(case):
    snapshots = random_snapshots(num_nodes=9, density=0.25, pe_channels=PE)
    model, decoder = make(case, 5, pe_channels=PE)
    state = state_of(model, 9)
    z, _ = model(snapshots, model.initial_state(9))
    pairs = torch.tensor([[0, 1, 2, 3], [4, 5, 6, 7]])
    loss = decoder(z, pairs).square().sum() + model.consistency_loss(z, state)
    loss.backward()
    both = torch.nn.ModuleDict({"model": model, "decoder": decoder})
    without = [
        name
        for name, parameter in both.named_parameters()
        if parameter.grad is None or not parameter.grad.isfinite().all() or not parameter.grad.any()
    ]
    assert without == []


@every_model
@pytest.mark.parametrize(
    ("num_nodes", "num_snapshots", "density"),
    [(6, 3, 0.0), (1, 3, 0.0), (1, 1, 0.0), (6, 1, 0.5), (6, 8, 1.0)],
    ids=["no edges", "one node", "one node once", "one snapshot", "more than the window"],
)
def test_odd_graphs_give_finite_embeddings_and_gradients(case, num_nodes, num_snapshots, density):
    snapshots = random_snapshots(num_nodes=num_nodes, num_snapshots=num_snapshots, density=density)
    model, decoder = make(case, 5)
    z, state = model(snapshots)
    assert z.shape[0] == num_nodes
    assert z.shape[-1] == 8
    pairs = torch.zeros(2, 1, dtype=torch.int64)
    (decoder(z, pairs).sum() + model.consistency_loss(z, model.initial_state(num_nodes))).backward()
    assert z.isfinite().all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())
    again, _ = model(snapshots[-1:], state)
    assert again.shape[0] == num_nodes


@every_model
def test_a_node_that_appears_late_is_embedded_before_and_after(case):
    early, late = random_snapshots(num_nodes=5, num_snapshots=2, density=1.0, one_hot=True, pe_channels=PE)
    early.edge_index = early.edge_index[:, (early.edge_index != 4).all(dim=0)]
    early.pe[4] = 0
    model, _ = make(case, 5, pe_channels=PE)
    before, state = model([early])
    after, _ = model([early, late] if CASES[case][0] == "slate" else [late], state)
    assert before.isfinite().all()
    assert after.isfinite().all()
    before, after = (z[4, -1] if z.dim() == 3 else z[4] for z in (before, after))
    assert not torch.allclose(before, after, rtol=1e-3, atol=1e-3)


@every_model
def test_one_by_one_is_all_at_once(case):
    if CASES[case][0] == "slate":
        pytest.skip("SLATE reads its window at once and remembers nothing")
    snapshots = random_snapshots(num_snapshots=4)
    model, _ = make(case, 5)
    z, state = model(snapshots)
    step = None
    for snapshot in snapshots:
        z_step, step = model([snapshot], step)
    torch.testing.assert_close(z_step, z)
    torch.testing.assert_close(step.tensors, state.tensors)


@every_model
def test_forward_changes_nothing(case):
    snapshots = random_snapshots(pe_channels=PE)
    model, _ = make(case, 5, pe_channels=PE)
    state = state_of(model, 7)
    kept = copy.deepcopy((model.state_dict(), [s.to_dict() for s in snapshots], state.state_dict()))
    attributes = {name: id(value) for name, value in vars(model).items()}
    random_state = torch.get_rng_state()
    first, _ = model(snapshots, state)
    second, _ = model(snapshots, state)
    assert torch.equal(first, second)
    assert {name: id(value) for name, value in vars(model).items()} == attributes
    assert torch.equal(torch.get_rng_state(), random_state)
    now = (model.state_dict(), [s.to_dict() for s in snapshots], state.state_dict())
    torch.testing.assert_close(now, kept, rtol=0, atol=0)


@every_model
def test_the_same_seed_gives_the_same_bits(case):
    snapshots = random_snapshots()
    z = make(case, 5, seed=3)[0](snapshots)[0]
    assert torch.equal(make(case, 5, seed=3)[0](snapshots)[0], z)
    assert not torch.equal(make(case, 5, seed=4)[0](snapshots)[0], z)


@every_model
def test_reset_parameters_draws_every_parameter_anew(case):
    model, decoder = make(case, 5, seed=3)
    both = torch.nn.ModuleDict({"model": model, "decoder": decoder})
    fresh = copy.deepcopy(both.state_dict())
    shaken(both)
    torch.manual_seed(8)
    model.reset_parameters(), decoder.reset_parameters()
    first = copy.deepcopy(both.state_dict())
    torch.manual_seed(8)
    model.reset_parameters(), decoder.reset_parameters()
    for name, value in both.state_dict().items():
        assert torch.equal(value, first[name]), name
        constant = fresh[name].unique().numel() == 1 and value.numel() > 1  # zero biases, norms
        fixed = name.endswith("isp_c") or (name.endswith("gru.bias") and "slow" in case)
        if not constant and not fixed:
            assert not torch.equal(value, fresh[name]), name
        else:
            torch.testing.assert_close(value, fresh[name], msg=name)


@every_model
def test_state_dict_and_state_go_through_a_file(case, tmp_path):
    snapshots = random_snapshots()
    model, _ = make(case, 5, seed=1)
    _, state = model(snapshots)
    torch.save({"model": model.state_dict(), "state": state.state_dict()}, tmp_path / "run.pt")
    loaded = torch.load(tmp_path / "run.pt", weights_only=True)
    other, _ = make(case, 5, seed=2)
    other.load_state_dict(loaded["model"])
    restored = State.from_state_dict(loaded["state"])
    assert torch.equal(other(snapshots)[0], model(snapshots)[0])
    assert torch.equal(other(snapshots, restored)[0], model(snapshots, state)[0])


@every_model
def test_dtype_follows_the_model(case):
    snapshots = random_snapshots(pe_channels=PE, one_hot=True)
    model, decoder = make(case, 7, pe_channels=PE)
    single, _ = model(snapshots)
    double, state = model.double()(snapshots)
    assert double.dtype == torch.float64
    assert all(tensor.dtype == torch.float64 for tensor in state.tensors)
    assert decoder.double()(double, torch.tensor([[0], [1]])).dtype == torch.float64
    if CASES[case][0] != "htgn":  # whose distance from the boundary of the ball depends on the type
        torch.testing.assert_close(single.double(), double, rtol=1e-3, atol=1e-4)


@every_model
def test_meta_device_needs_no_data(case):
    """Nothing in the modules names a device: a model built elsewhere has all its tensors there."""
    with torch.device("meta"):
        model, decoder = build(CASES[case][0], 5, 8, **CASES[case][1])
    assert {p.device.type for p in [*model.parameters(), *model.buffers(), *decoder.parameters()]} == {"meta"}


@pytest.mark.parametrize("case", ["egcn-h", "grugcn", "htgn", "slate"])
def test_compiled_gives_the_same(case):
    (snapshot,) = [prepare(data) for data in random_snapshots(pe_channels=PE, num_snapshots=1)]
    model, decoder = make(case, 5, pe_channels=PE)
    state = state_of(model, 7)
    pairs = torch.tensor([[0, 1], [2, 3]])
    torch._dynamo.reset()
    compiled = torch.compile(
        lambda: decoder(model([snapshot], state)[0], pairs), backend="eager", fullgraph=True
    )
    torch.testing.assert_close(compiled(), decoder(model([snapshot], state)[0], pairs))


class LargestResult(TorchDispatchMode):
    """Remembers the number of elements of the largest tensor that an operation gives."""

    size = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple | list) else (result,):
            if isinstance(tensor, torch.Tensor):
                self.size = max(self.size, tensor.numel())
        return result


@every_model
def test_one_hot_features_are_never_a_square_matrix(case):
    num_nodes = 400
    snapshots = random_snapshots(num_nodes=num_nodes, density=0.005, one_hot=True, num_snapshots=2)
    model, _ = make(case, num_nodes)
    with LargestResult() as largest:
        model(snapshots)
    assert largest.size < num_nodes**2 / 2


@every_model
def test_one_hot_index_equals_the_dense_identity(case):
    snapshots = random_snapshots(pe_channels=PE, one_hot=True, dtype=torch.float64)
    dense = [Data(x=torch.eye(7, dtype=torch.float64), pe=s.pe, edge_index=s.edge_index) for s in snapshots]
    model, _ = make(case, 7, pe_channels=PE)
    model = model.double()
    z, state = model(snapshots)
    z_dense, state_dense = model(dense)
    torch.testing.assert_close(z, z_dense)
    torch.testing.assert_close(state.tensors, state_dense.tensors)


@every_model
def test_dropout_acts_in_training_only(case):
    if CASES[case] == ("egcn-o", {"num_layers": 1}):
        pytest.skip("dropout acts between the layers, and there is one")
    snapshots = random_snapshots()
    model, _ = make(case, 5, dropout=0.5)
    training = [model(snapshots)[0] for _ in range(2)]
    assert not torch.equal(*training)
    model.eval()
    plain, _ = make(case, 5)
    plain.load_state_dict(model.state_dict())
    assert torch.equal(model(snapshots)[0], plain(snapshots)[0])
