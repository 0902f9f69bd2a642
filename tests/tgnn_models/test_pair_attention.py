"""Attention of pairs is what PyTorch's own gives, however many pairs there are and however they are cut."""

import pytest
import torch
from torch.func import vmap
from torch.nn.functional import scaled_dot_product_attention

from tgnn_models import pairs
from tgnn_models.pair_attention import pair_attention

HEADS, WIDTH, KEYS = 2, 3, 4


@pytest.fixture(params=[1, 100, 2**16], ids="block={}".format)
def block(request, monkeypatch):
    """Blocks of one pair, of a few that do not divide their number, and of all."""
    monkeypatch.setattr(pairs, "BLOCK", request.param)


def drawn(*shape: int, num_pairs: int) -> tuple[torch.Tensor, ...]:
    """Tables of query, key and value, and both ends of pairs; some come twice, some join a node to itself."""
    generator = torch.Generator().manual_seed(num_pairs)
    query, key, value = (
        torch.randn(*shape, *part, dtype=torch.float64, generator=generator, requires_grad=True)
        for part in ((HEADS * WIDTH,), (KEYS, HEADS * WIDTH), (KEYS, HEADS * WIDTH))
    )
    index = torch.randint(shape[-1], (2, *shape[:-1], num_pairs), generator=generator)
    return query, key, value, index[0], index[1]


def by_pytorch(query, key, value, source, target):
    """The same by the kernel of PyTorch, with all rows gathered first."""
    parts = query[source].unsqueeze(1), key[target], value[target]
    heads = (part.unflatten(-1, (HEADS, WIDTH)).transpose(1, 2) for part in parts)
    return scaled_dot_product_attention(*heads).transpose(1, 2).flatten(1)


def of_pairs(*tensors):
    """The function under test."""
    return pair_attention(*tensors, HEADS)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("num_pairs", [0, 1, 23])
def test_values_and_gradients(num_pairs):
    *tables, source, target = drawn(5, num_pairs=num_pairs)
    answer = of_pairs(*tables, source, target)
    assert answer.shape == (num_pairs, HEADS * WIDTH)
    expected = by_pytorch(*tables, source, target)
    torch.testing.assert_close(answer, expected)
    weight = torch.randn(answer.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    gradients = (torch.autograd.grad((weight * each).sum(), tables) for each in (answer, expected))
    torch.testing.assert_close(*gradients)


@pytest.mark.usefixtures("block")
def test_gradients_of_gradients():
    *tables, source, target = drawn(3, num_pairs=4)
    assert torch.autograd.gradgradcheck(lambda *tables: of_pairs(*tables, source, target), tables)


@pytest.mark.usefixtures("block")
def test_runs_at_once():
    *tables, source, target = drawn(4, 5, num_pairs=11)
    together = of_pairs(*tables, source, target)
    alone = torch.stack([of_pairs(*run) for run in zip(*tables, source, target, strict=True)])
    torch.testing.assert_close(together, alone)
    weight = torch.arange(float(together.numel()), dtype=torch.float64).view(together.shape)
    gradients = (torch.autograd.grad((weight * each).sum(), tables) for each in (together, alone))
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("shared", [False, True], ids=["pairs of each run", "pairs of all runs"])
def test_mapped_over_runs(shared):
    *tables, source, target = drawn(4, 5, num_pairs=11)
    index = (source[0], target[0]) if shared else (source, target)
    together = vmap(of_pairs, in_dims=(0, 0, 0, None, None) if shared else 0)(*tables, *index)
    expected = [
        of_pairs(*(table[i] for table in tables), source[0 if shared else i], target[0 if shared else i])
        for i in range(4)
    ]
    torch.testing.assert_close(together, torch.stack(expected))


def test_gradients_round_alike_whatever_the_blocks_and_the_other_runs(monkeypatch):
    """To the last bit: else runs of a pack go ways of their own after some epochs."""
    *tables, source, target = drawn(4, 50, num_pairs=3000)
    tables = [table.detach().float() for table in tables]
    weight = torch.randn(4, 3000, HEADS * WIDTH, generator=torch.Generator().manual_seed(1))

    def gradients(*runs: int) -> tuple[torch.Tensor, ...]:
        own = [table[list(runs)].requires_grad_() for table in tables]
        answer = of_pairs(*own, source[list(runs)], target[list(runs)])
        return torch.autograd.grad((weight[list(runs)] * answer).sum(), own)

    together = gradients(0, 1, 2, 3)
    for block in (70, 1000, 2**16):
        monkeypatch.setattr(pairs, "BLOCK", block)
        for alone, each in zip(gradients(2), together, strict=True):
            assert torch.equal(alone[0], each[2])


def test_rows_are_not_kept_for_the_way_back():
    """The tables are, the pairs, and how much of each key a pair takes."""
    *tables, source, target = drawn(5, num_pairs=1000)
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (kept.append(t.numel()), t)[1], lambda t: t):
        of_pairs(*tables, source, target)
    assert sum(kept) == sum(table.numel() for table in tables) + 1000 * (2 + KEYS * HEADS)
