"""Ctrl-C as a wish to stop in order, and a second one as a wish to stop at once."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ray import tune


class Interrupt(tune.Stopper):
    """Whether someone asked to stop; Tune then ends all trials.

    Example:
        >>> import os
        >>> interrupt = Interrupt()
        >>> with interrupt.caught():
        ...     os.kill(os.getpid(), signal.SIGTERM)
        >>> interrupt.stop_all()
        True
    """

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, trial_id: str, result: dict) -> bool:
        """No trial is stopped by itself."""
        return False

    def stop_all(self) -> bool:
        """Whether someone asked."""
        return self.asked

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Take the first interrupt (or termination) of this process as the question.

        Only the main thread may catch signals; elsewhere nothing is caught.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: dict[signal.Signals, Any] = {}

        def handle(number: int, frame: Any) -> None:
            self.asked = True
            signal.signal(number, before[signal.Signals(number)])

        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, handle)
        try:
            yield
        finally:
            for caught, handler in before.items():
                signal.signal(caught, handler)
