"""Optional dependencies, and what to install where one is missing."""

from importlib import import_module
from typing import Any


def require(module: str, extra: str, of: str = "supra-core") -> Any:
    """The module of that name, or an error that says what to install.

    Args:
        extra: the extra that declares the module.
        of: the distribution that has this extra.

    Raises:
        ImportError: the module is not installed.

    Example:
        >>> require("math", extra="plot").floor(2.5)
        2
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise missing(module.partition(".")[0], extra=extra, of=of) from error


def missing(*packages: str, extra: str, of: str = "supra-core") -> ImportError:
    """The error for packages that are not installed.

    Its command names the packages themselves, so that it works however ``of`` was installed: from a clone, a
    wheel or an index.

    Example:
        >>> missing("hypothesis", extra="hypothesis", of="wl-tests")
        ImportError('this needs hypothesis, of the extra wl-tests[hypothesis]: pip install hypothesis')
    """
    return ImportError(
        f"this needs {' and '.join(packages)}, of the extra {of}[{extra}]: pip install {' '.join(packages)}"
    )
