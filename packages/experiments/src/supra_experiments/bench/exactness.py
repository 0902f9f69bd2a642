"""Every solver on matrices made to mislead it: how often is an answer that says converged wrong?

The oracle is LAPACK's full decomposition of the same matrix. An answer is *wrong* if it says that all pairs
have converged and one of its eigenvalues differs from the true one of the same rank by more than four times
the residual norm that was asked for; it is *right* if they agree; and *not converged* if it says so itself.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
from threadpoolctl import threadpool_limits

from supra_core import LOBPCG, Auto, Davidson, Lanczos, ShiftInvert, Solver, eigenpairs
from supra_core.checks import check_choice, check_count
from supra_core.eigen.result import residual_target
from supra_core.generators.adversarial import Case, cases, start_of
from supra_experiments.bench.outcome import Outcome, Report, silent

SOLVERS: dict[str, Callable[[float], Solver]] = {
    "Auto": Auto,
    "Davidson": Davidson,
    "Lanczos": Lanczos,
    "ShiftInvert": lambda tol: ShiftInvert(tol, max_cost=1e9),
    "LOBPCG": lambda tol: LOBPCG(max_steps=300, tol=tol),
}
# In units of the residual norm asked for.
WRONG_BY = 4.0


@dataclass
class Tally:
    """What one solver gave.

    Attributes:
        solver: its name.
        right, wrong, not_converged, raised: how many answers were so.
        verified: how often each kind of evidence was given.
        seconds: of processor time, in all.
        faults: a line for each answer that was wrong or raised, enough to repeat it.
    """

    solver: str
    right: int = 0
    wrong: int = 0
    not_converged: int = 0
    raised: int = 0
    verified: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


def run(
    count: int = 5000, *, solvers: Sequence[str] | None = None, seed: int = 0, report: Report = silent
) -> list[Tally]:
    """Try solvers, by their names in :data:`SOLVERS` or all, on ``count`` matrices of more than 450 rows."""
    check_count("count", count)
    chosen = SOLVERS if solvers is None else solvers
    tallies = [Tally(check_choice("solvers", name, SOLVERS)) for name in chosen]
    with threadpool_limits(1):
        for number, case in enumerate(cases(count, seed)):
            rng = np.random.default_rng([seed, number, 1])
            exact, vectors = np.linalg.eigh(case.matrix.toarray())
            start = start_of(case, vectors, rng)
            for tally in tallies:
                _try(tally, case, start, exact, f"case {number} of seed {seed}", number)
            report(number + 1, count)
    return tallies


def _try(
    tally: Tally, case: Case, start: np.ndarray | None, exact: np.ndarray, label: str, seed: int
) -> None:
    label = f"{label}: {case.name}, k={case.k}, tol={case.tol:g}, {case.warm}"
    began = time.process_time()
    try:
        result = eigenpairs(case.matrix, case.k, SOLVERS[tally.solver](case.tol), x0=start, rng=seed)
    except Exception as error:  # whatever it is, it is what this benchmark looks for
        tally.raised += 1
        tally.faults.append(f"{label}: raised {type(error).__name__}: {error}")
        return
    finally:
        tally.seconds += time.process_time() - began
    how = result.verified or "none"
    tally.verified[how] = tally.verified.get(how, 0) + 1
    off = float(np.max(np.abs(result.eigenvalues - exact[: case.k])))
    if not result.converged.all():
        tally.not_converged += 1
    elif off > WRONG_BY * residual_target(case.matrix, case.tol):
        tally.wrong += 1
        tally.faults.append(f"{label}: wrong by {off:.3g}, {result}")
    else:
        tally.right += 1


def outcome(tallies: Sequence[Tally], count: int, seed: int) -> Outcome:
    """What is kept and shown; it has failed if an answer was wrong or there was none."""
    columns = {
        "solver": lambda tally: tally.solver,
        "right": lambda tally: f"{tally.right:,}",
        "wrong": lambda tally: f"{tally.wrong:,}",
        "raised": lambda tally: f"{tally.raised:,}",
        "says not converged": lambda tally: f"{tally.not_converged:,}",
        "verified by": lambda tally: ", ".join(f"{how} {n:,}" for how, n in sorted(tally.verified.items())),
        "seconds": lambda tally: f"{tally.seconds:.0f}",
    }
    return Outcome(
        tallies,
        f"Answers on {count:,} matrices made to mislead",
        columns,
        {"count": count, "seed": seed, "tallies": [asdict(tally) for tally in tallies]},
        lines=[fault for tally in tallies for fault in tally.faults],
        failed=any(tally.wrong or tally.raised for tally in tallies),
    )
