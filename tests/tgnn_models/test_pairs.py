"""Sums over pairs of rows are what the plain formulae give, however many pairs there are."""

import pytest
import torch
from torch.func import vmap

from tgnn_models import pairs
from tgnn_models.pairs import pair_gaps, pair_products

FORMULAE = {
    pair_products: lambda one, other: (one * other).sum(dim=-1),
    pair_gaps: lambda one, other: (one - other).square().sum(dim=-1),
}


@pytest.fixture(params=FORMULAE, ids=lambda function: function.__name__)
def function(request):
    return request.param


@pytest.fixture(params=[1, 7, 2**16], ids="block={}".format)
def block(request, monkeypatch):
    """Blocks of one pair, of a few that do not divide their number, and of all."""
    monkeypatch.setattr(pairs, "BLOCK", request.param)


def drawn(*shape: int, num_pairs: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rows, and pairs of them: some come twice, some join a node to itself."""
    generator = torch.Generator().manual_seed(num_pairs)
    z = torch.randn(*shape, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    index = torch.randint(shape[-1], (2, *shape[:-1], num_pairs), generator=generator)
    return z, index[0], index[1]


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("num_pairs", [0, 1, 23])
def test_values_and_gradients(function, num_pairs):
    z, source, target = drawn(5, num_pairs=num_pairs)
    torch.testing.assert_close(function(z, source, target), FORMULAE[function](z[source], z[target]))
    assert torch.autograd.gradcheck(lambda z: function(z, source, target), z)
    assert torch.autograd.gradgradcheck(lambda z: function(z, source, target) ** 2, z)


@pytest.mark.usefixtures("block")
def test_runs_at_once(function):
    z, source, target = drawn(4, 5, num_pairs=11)
    together = function(z, source, target)
    alone = torch.stack([function(*run) for run in zip(z, source, target, strict=True)])
    torch.testing.assert_close(together, alone)
    weight = torch.arange(44.0, dtype=torch.float64).view(4, 11)
    gradients = [torch.autograd.grad((weight * sums).sum(), z)[0] for sums in (together, alone)]
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("shared", [False, True], ids=["pairs of each run", "pairs of all runs"])
def test_mapped_over_runs(function, shared):
    z, source, target = drawn(4, 5, num_pairs=11)
    index = (source[0], target[0]) if shared else (source, target)
    together = vmap(function, in_dims=(0, None, None) if shared else 0)(z, *index)
    expected = [function(z[i], source[0 if shared else i], target[0 if shared else i]) for i in range(4)]
    torch.testing.assert_close(together, torch.stack(expected))


def test_gradients_round_alike_whatever_the_blocks_and_the_other_runs(function, monkeypatch):
    """To the last bit: else runs of a pack go ways of their own after some epochs."""
    z, source, target = (tensor.detach() for tensor in drawn(4, 50, num_pairs=3000))
    z = z.float()
    weight = torch.randn(4, 3000, generator=torch.Generator().manual_seed(1))

    def gradient(*runs: int) -> torch.Tensor:
        rows = z[list(runs)].requires_grad_()
        sums = function(rows, source[list(runs)], target[list(runs)])
        return torch.autograd.grad((weight[list(runs)] * sums).sum(), rows)[0]

    together = gradient(0, 1, 2, 3)
    for block in (7, 1000, 2**16):
        monkeypatch.setattr(pairs, "BLOCK", block)
        assert torch.equal(gradient(2)[0], together[2])
