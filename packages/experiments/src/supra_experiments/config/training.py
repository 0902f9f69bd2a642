"""How a model is trained, and where."""

from dataclasses import dataclass

from supra_core.checks import check_probability
from supra_experiments.config.model import LEARNED_SCORES
from supra_experiments.config.setting import Part, count, from_zero, nonnegative, one_of, positive, setting

PROTOCOLS = ("autoencode", "next")
TRAIN_NEGATIVES = ("uniform", "mixed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Training(Part):
    """How a model is trained, and where; the defaults are those of the published HTGN protocol."""

    protocol: str | None = setting(
        None,
        "``autoencode``: embeddings of a snapshot predict its own links (published); ``next``: they predict "
        "those of the next one, as scores that are learned without a network always do.",
        one_of(*PROTOCOLS),
        otherwise="autoencode",
        own=dict.fromkeys(LEARNED_SCORES, "next"),
    )
    held_out: int = setting(
        1,
        "With ``protocol = next`` and no validation snapshots: so many of the last training snapshots choose "
        "the epoch instead of being trained on.",
        count,
    )
    train_negatives: str = setting(
        "uniform",
        "How training negatives are drawn: ``uniform``, or ``mixed`` with past edges that are absent now.",
        one_of(*TRAIN_NEGATIVES),
    )
    historical_share: float = setting(
        0.5, "The share of past edges among mixed training negatives.", check_probability
    )
    negatives_per_link: int = setting(1, "Training negatives for each link.", count, models=LEARNED_SCORES)
    lr: float | None = setting(
        None,
        "Adam's learning rate.",
        positive,
        otherwise=0.01,
        own={"egcn": 0.001, "grugcn": 0.003, "slate": 5e-4},
    )
    weight_decay: float = setting(5e-7, "Adam's weight decay.", nonnegative)
    grad_clip: float | None = setting(
        None, "The largest norm of a gradient; else no limit, 1 for SLATE.", positive, own={"slate": 1.0}
    )
    consistency: float = setting(1.0, "The weight of the temporal-consistency term.", nonnegative)
    max_epochs: int = setting(500, "Epochs at most.", count)
    min_epochs: int = setting(100, "No early stop before this epoch.", from_zero)
    patience: int = setting(50, "Epochs without a better one after which training stops.", count)
    seed: int = setting(0, "Fixes everything that is random but the test sets.", from_zero)
    threads: int = setting(1, "Threads of a run.", count)
    device: str = setting("cpu", "A PyTorch device: ``cpu``, ``cuda``, ``cuda:1``, …")
