"""A measurement in a process of its own: its memory, its time limit and its imports are not ours."""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

from supra_experiments.cluster.environment import ONE_THREAD


class ChildError(RuntimeError):
    """A process that did not end well.

    Attributes:
        returncode: as of :mod:`subprocess`: negative for a signal.
    """

    def __init__(self, message: str, returncode: int) -> None:
        super().__init__(message)
        self.returncode = returncode


def in_child(
    function: Callable[..., Iterator[Any]], *arguments: Any, task: str = "", patience: float | None = None
) -> Iterator[Any]:
    """Run a generator in a fresh interpreter, on one thread; what it yields comes out as it comes.

    Args:
        function: on the top level of a module; yields what JSON can say.
        arguments: for the function, as JSON can say them.
        task: what it does, for the message where it fails.
        patience: seconds after which the process is killed.

    Raises:
        ChildError: the process ended with an error, whose last line is the message, or was killed.
        TimeoutError: it took longer than the patience.
    """
    command = [sys.executable, "-m", __name__, function.__module__, function.__name__, json.dumps(arguments)]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=os.environ | ONE_THREAD
        ) as process,
    ):
        late = threading.Event()
        timer = None if patience is None else threading.Timer(patience, _kill, (process, late))
        if timer is not None:
            timer.start()
        try:
            for line in process.stdout or ():
                yield json.loads(line)
            process.wait()
        finally:
            if timer is not None:
                timer.cancel()
            if process.poll() is None:  # whoever listened has gone away
                process.kill()
        if late.is_set():
            raise TimeoutError(f"{function.__name__}: took longer than {patience:g} s")
        if process.returncode:
            errors.seek(0)
            last = errors.read().strip().splitlines()[-1:] or [f"exit status {process.returncode}"]
            raise ChildError(f"{task} failed: {last[0]}" if task else last[0], process.returncode)


def _kill(process: subprocess.Popen[str], late: threading.Event) -> None:
    late.set()
    process.kill()


def main(module: str, name: str, arguments: str) -> None:
    """What the process runs."""
    # What else is printed would be taken for an answer.
    answers, sys.stdout = sys.stdout, sys.stderr
    for found in getattr(importlib.import_module(module), name)(*json.loads(arguments)):
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
