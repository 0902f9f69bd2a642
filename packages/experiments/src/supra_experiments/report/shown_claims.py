"""Claims in words: what is said, what the records say to it, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass

from supra_experiments.analysis.claim import Claim
from supra_experiments.analysis.statistics import p_text
from supra_experiments.report.inputs import counted
from supra_experiments.report.table import Column, Row, Table, Worded, known, text_of

_POINTS = Column("points", number=True, signed=True)
_VERDICTS = {
    "holds": ("holds here", "holds"),
    "contradicted": ("contradicted here", "fails"),
    "not shown": ("not shown here", "open"),
    "too few": ("too few settings to tell", "open"),
}


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A claim in words.

    Attributes:
        statement: what is claimed.
        verdict: in a few words, with the p-value.
        tone: ``holds``, ``fails`` or ``open``.
        evidence: the figures behind the verdict.
    """

    statement: str
    verdict: str
    tone: str
    evidence: str


def shown_claims(claims: Sequence[Claim], paper: Sequence[Claim] = ()) -> list[ShownClaim]:
    """The claims that there is anything to say of.

    Args:
        claims: tested on our runs.
        paper: the same, tested on the paper's cells.
    """
    theirs = {claim.name: claim for claim in paper}
    return [_shown(claim, theirs.get(claim.name)) for claim in claims if claim.n]


def verdict_table(claims: Sequence[Claim], paper: Sequence[Claim]) -> Table:
    """A line a claim: the verdict here, the figures, and the verdict on the paper's own cells."""
    theirs = {claim.name: claim for claim in paper}
    rows = []
    for claim in claims:
        if claim.n:
            p = claim.p_opposite if claim.verdict == "contradicted" else claim.p_adjusted
            other = theirs.get(claim.name)
            rows.append(
                Row(
                    (
                        claim.text.replace("`", ""),
                        claim.verdict,
                        claim.value,
                        f"{points(claim.low)} to {points(claim.high)}" if known(claim.low) else "",
                        claim.n,
                        Worded(p_text(p), p),
                        other.verdict if other else "",
                        other.value if other else None,
                    )
                )
            )
    columns = (
        Column("claim", wrap=True),
        Column("here"),
        Column("mean", number=True, signed=True, help="AUC points"),
        Column("95 % interval"),
        Column("settings", number=True),
        Column(
            "p", number=True, help="adjusted for the number of claims; of the contrary where contradicted"
        ),
        Column("paper's cells", help="the same test on the cells that the paper reports"),
        Column("mean", number=True, signed=True, help="of the paper's cells"),
    )
    note = (
        "AUC points; each setting of dataset, model and features counts once. p is by signed ranks, "
        "adjusted for the number of claims (Holm), and that of the contrary where a claim is contradicted. "
        "Signed ranks ask for the typical difference; a few large ones move the mean and not p."
    )
    return Table("verdicts", "Verdicts", columns, tuple(rows), note)


def _shown(claim: Claim, paper: Claim | None) -> ShownClaim:
    verdict, tone = _VERDICTS[claim.verdict]
    against = claim.verdict == "contradicted"
    p = claim.p_opposite if against else claim.p_adjusted
    if known(p):
        verdict += f", p = {p_text(p)}"
    return ShownClaim(claim.text.replace("`", ""), verdict, tone, _evidence(claim, paper))


def _evidence(claim: Claim, paper: Claim | None) -> str:
    """``SLPE − LPE: +1.09 points on average (95 % interval +0.40 to +1.80), median +0.31, …``."""
    statistic = claim.statistic[:1].upper() + claim.statistic[1:]
    text = f"{statistic}: {points(claim.value)} points on average"
    if known(claim.low):
        text += f" (95 % interval {points(claim.low)} to {points(claim.high)})"
    text += f", median {points(claim.median)}, in {counted(claim.n, 'setting')} "
    text += f"on {counted(claim.num_datasets, 'dataset')}. "
    text += f"p = {p_text(claim.p_value)} over settings ({claim.test})"
    if claim.num_pairs > claim.n:
        text += f", {p_text(claim.p_value_seeds)} over {claim.num_pairs} pairs of seeds"
    text += "."
    if paper is not None and paper.n:
        text += f" On the paper's own cells: {paper.verdict}, {points(paper.value)} points on average"
        text += f", adjusted p = {p_text(paper.p_adjusted)}."
    return text


def points(value: float) -> str:
    """A difference with its sign.

    Example:
        >>> points(-1.234)
        '−1.23'
    """
    return text_of(value, _POINTS)
