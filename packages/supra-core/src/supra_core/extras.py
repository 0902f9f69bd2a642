"""Optional dependencies, and what to install where one is missing."""

from importlib import import_module
from typing import Any


def require(module: str, extra: str) -> Any:
    """The module of that name, or an error that says which extra brings it.

    Raises:
        ImportError: the module is not installed.

    Example:
        >>> require("math", extra="plot").floor(2.5)
        2
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"this needs {package}: pip install 'supra-core[{extra}]'") from error
