"""A column that is put together part by part."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SPARE = 1.02


class Growing:
    """Keeps the values of all parts in one array, whose size is foreseen: fresh memory is what takes time.

    Example:
        >>> column = Growing()
        >>> column.add(np.array([1, 2]), share=0.5)
        >>> column.add(np.array([3.5]), share=1.0)
        >>> column.values().tolist()
        [1.0, 2.0, 3.5]
    """

    def __init__(self) -> None:
        self._array: NDArray[Any] = np.zeros(0, dtype=np.int64)
        self._used = 0

    def add(self, values: NDArray[Any], share: float) -> None:
        """Put values at the end.

        Args:
            values: shape (m,); of a wider type than those before, these are widened, too.
            share: how much of all that will come has come with them, 0 < share <= 1.
        """
        before, used = self._array, self._used + len(values)
        dtype = np.promote_types(before.dtype, values.dtype) if self._used else values.dtype
        if used > len(before) or dtype != before.dtype:
            self._array = np.empty(used if share >= 1 else int(used / share * _SPARE), dtype=dtype)
            self._array[: self._used] = before[: self._used]
        self._array[self._used : used] = values
        self._used = used

    def values(self) -> NDArray[Any]:
        """All values; integers where there are none."""
        return self._array[: self._used]
