"""Whether a gRPC server answers, found out in seconds; what C++ code writes to standard error, caught."""

import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_SECONDS = 5.0
# An HTTP/2 client's first words, with which every gRPC connection begins: the preface and empty settings.
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_SETTINGS_FRAME = 4


def why_not_grpc(host: str, port: int) -> str | None:
    """None where a gRPC server answers, else the reason why it cannot be Ray.

    Ray itself tries such an address for minutes.
    """
    try:
        with socket.create_connection((host, port), timeout=_SECONDS) as connection:
            if os.environ.get("RAY_USE_TLS", "0") not in ("", "0"):
                return None  # something listens; the rest is encrypted
            connection.sendall(_HELLO)
            answer = connection.recv(9)
    except TimeoutError:
        return "does not answer"
    except OSError as error:
        return error.strerror or str(error)
    if len(answer) < 4 or answer[3] != _SETTINGS_FRAME:
        return "what answers there is not Ray"
    return None


@contextmanager
def captured_errors() -> Iterator[list[str]]:
    """Standard error, also of code that is not Python, as lines in a list once the block has ended.

    Ray's core writes there whatever level its logger has.
    """
    lines: list[str] = []
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield lines
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            lines += file.read().decode(errors="replace").splitlines()
