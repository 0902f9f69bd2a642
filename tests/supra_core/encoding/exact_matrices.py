"""Facts about small matrices of floats, proved in exact rational arithmetic: a float is a fraction."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

Matrix = list[list[Fraction]]


def exact(array: np.ndarray) -> Matrix:
    return [[Fraction(float(entry)) for entry in row] for row in array]


def product(A: Matrix, B: Matrix) -> Matrix:
    columns = list(zip(*B, strict=True))
    return [[sum(map(Fraction.__mul__, row, column), Fraction()) for column in columns] for row in A]


def transposed(A: Matrix) -> Matrix:
    return [list(column) for column in zip(*A, strict=True)]


def minus(A: Matrix, B: Matrix) -> Matrix:
    return [list(map(Fraction.__sub__, a, b)) for a, b in zip(A, B, strict=True)]


def shifted(A: Matrix, amount: Fraction) -> Matrix:
    return [[entry - amount * (i == j) for j, entry in enumerate(row)] for i, row in enumerate(A)]


def leading_minors(A: Matrix) -> list[int]:
    """Determinants of the upper left corners, times positive numbers: Bareiss's elimination in integers."""
    scale = math.lcm(*(entry.denominator for row in A for entry in row))
    rows = [[int(entry * scale) for entry in row] for row in A]
    minors, last = [], 1
    for k in range(len(rows)):
        pivot = rows[k][k]
        minors.append(pivot)
        if pivot == 0:
            break
        for i in range(k + 1, len(rows)):
            rows[i] = [(pivot * entry - rows[i][k] * rows[k][j]) // last for j, entry in enumerate(rows[i])]
        last = pivot
    return minors


def num_below(A: Matrix, value: Fraction) -> int:
    """How many eigenvalues of a symmetric matrix lie below ``value``, by Sylvester's law of inertia.

    A corner of determinant 0 says nothing: then a value next to it is asked. It must be no eigenvalue.
    """
    for attempt in range(8):
        minors = leading_minors(shifted(A, value + Fraction(attempt, 2**70)))
        if 0 not in minors:
            signs = [1, *(1 if minor > 0 else -1 for minor in minors)]
            return sum(a != b for a, b in pairwise(signs))
    raise AssertionError(f"{float(value)} is an eigenvalue")


def is_positive_definite(A: Matrix) -> bool:
    minors = leading_minors(A)
    return len(minors) == len(A) and min(minors) > 0


def norm_above(A: Matrix) -> Fraction:
    """A number above the spectral norm, by less than 1e-9 of it, and proved to be."""
    gram = product(transposed(A), A)
    guess = float(np.linalg.norm(np.array([[float(entry) for entry in row] for row in A]), 2))
    bound = Fraction(guess * (1 + 1e-10) + 1e-300)
    negative = [[-entry for entry in row] for row in shifted(gram, bound**2)]
    assert is_positive_definite(negative)
    return bound


def root_above(square: Fraction) -> Fraction:
    """A number above the root, and proved to be."""
    root = Fraction(math.sqrt(square) * (1 + 1e-15) + 1e-300)
    assert root**2 >= square
    return root


def root_below(square: Fraction) -> Fraction:
    root = Fraction(math.sqrt(square) * (1 - 1e-15))
    assert root**2 <= square
    return root


class Span:
    """What the columns of a float matrix span, nearly orthonormal ones, shape (n, m)."""

    def __init__(self, basis: np.ndarray) -> None:
        self.floats, self.basis = basis, exact(basis)
        gram = shifted(product(transposed(self.basis), self.basis), Fraction(1))
        unlike = root_above(sum((entry**2 for row in gram for entry in row), Fraction()))
        self.error = Fraction()
        """‖(I − P) X‖ is at most this, with P the projector onto the space that is meant."""
        self.least = root_below(1 - unlike)
        """‖P X c‖ is at least this times ‖c‖."""


class Eigenspace(Span):
    """The exact space of neighbouring eigenvalues of a symmetric matrix, by a basis that is near it.

    Args:
        matrix: symmetric, shape (n, n).
        values: its eigenvalues to rounding, ascending, shape (n,).
        vectors: its eigenvectors to rounding, shape (n, n).
        part: the eigenvalues of the space. Exact ones below and in it are counted, or it fails.
    """

    def __init__(self, matrix: np.ndarray, values: np.ndarray, vectors: np.ndarray, part: slice) -> None:
        super().__init__(vectors[:, part])
        A = exact(matrix)
        ends = [values[0] - 1, *(values[1:] + values[:-1]) / 2, values[-1] + 1]
        below, above = Fraction(float(ends[part.start])), Fraction(float(ends[part.stop]))
        assert (num_below(A, below), num_below(A, above)) == (part.start, part.stop)
        square = Fraction()
        for value, column in zip(values[part], transposed(self.basis), strict=True):
            residual = product(shifted(A, Fraction(float(value))), [[entry] for entry in column])
            # (A − λ)(I − P)x = (I − P)r, and A − λ is at least this far from singular on what P leaves out.
            room = min(Fraction(float(value)) - below, above - Fraction(float(value)))
            assert room > 0
            square += sum((row[0] ** 2 for row in residual), Fraction()) / room**2
        self.error = root_above(square)
        self.least -= self.error


def sine_above(space: Span, other: Span) -> Fraction:
    """A number that the sine of the largest angle from one space to another is proved not to exceed.

    With P and Q the projectors, X and Y the bases and C any matrix,
    (I − Q) P X = (I − Q)(X − Y C) + (I − Q) Y C − (I − Q)(I − P) X.
    """
    C = exact(other.floats.T @ space.floats)
    apart = norm_above(minus(space.basis, product(other.basis, C)))
    return (apart + other.error * norm_above(C) + space.error) / space.least
