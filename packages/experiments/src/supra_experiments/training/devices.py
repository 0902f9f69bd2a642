"""Where a run computes, refused in one line where it cannot."""

from supra_experiments.errors import ConfigError


def check_device(name: str) -> str:
    """The name of a PyTorch device that is there.

    Raises:
        ConfigError: no such device, or none that can be used here.

    Example:
        >>> check_device("cpu")
        'cpu'
    """
    import torch  # takes a second, and most commands need none

    try:
        device = torch.device(name)
    except (RuntimeError, ValueError):
        raise ConfigError(f"device={name!r}: must be a device of PyTorch, e.g. cpu, cuda or cuda:1") from None
    try:
        torch.zeros(1, device=device).item()
    except Exception as error:  # each kind of device has errors of its own
        reason = (" ".join(str(error).split()) or type(error).__name__).split(". ")[0][:120]
        raise ConfigError(f"device={name!r}: cannot be used here ({reason}); cpu always can") from None
    return name
