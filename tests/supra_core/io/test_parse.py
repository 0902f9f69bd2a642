"""Integers out of text against Python's own reading of each field."""

import re

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from supra_core.io.parse import floats, integers
from supra_core.io.tokens import Fields

TEXTS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.integers(0, 10**9).map(str),
    st.text("0123456789-./:;+ 9", max_size=20),
    st.from_regex(r"\A-?0*[0-9]{1,19}(\.0*)?\Z"),
)


def fields_of(texts, delimiter):
    joined = delimiter.join([*texts, ""]).encode()
    stops = np.cumsum([len(text.encode()) + 1 for text in texts]) - 1
    starts = np.concatenate([[0], stops[:-1] + 1])
    return Fields(np.frombuffer(joined, np.uint8), starts, stops)


@given(st.lists(TEXTS, min_size=1, max_size=20), st.sampled_from([",", "\t", "9", "/"]))
def test_integers(texts, delimiter):
    for plain in (True, False):
        for fractions in (True, False):
            values, right = integers(fields_of(texts, delimiter), plain=plain, fractions=fractions)
            digits = "(0|-?[1-9][0-9]*)" if plain else "(-?[0-9]{1,19})"
            for text, value, is_right in zip(texts, values.tolist(), right.tolist(), strict=True):
                found = re.fullmatch(digits + (r"(\.0*)?" if fractions else ""), text, re.ASCII)
                expected = found is not None and -(2**63) <= int(found[1]) < 2**63
                assert is_right == expected, text
                if expected:
                    assert value == int(found[1])


@given(st.lists(TEXTS, min_size=1, max_size=20))
@example(["9223372036854775808", "-9999999999999999999"])
def test_floats(texts):
    values, right = floats(fields_of(texts, ","))
    for text, value, is_right in zip(texts, values.tolist(), right.tolist(), strict=True):
        try:
            expected = float(text) if " " not in text else None
        except ValueError:
            expected = None
        assert is_right == (expected is not None)
        if is_right:
            assert value == expected
