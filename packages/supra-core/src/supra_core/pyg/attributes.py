"""From tensors to arrays, and encodings back onto data objects."""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from supra_core.errors import InvalidArgumentError


def array_of(tensor: Tensor) -> NDArray[Any]:
    """The values of a tensor, wherever it is."""
    return np.asarray(tensor.detach().cpu().numpy())


def tensor_of(values: NDArray[Any], like: Tensor) -> Tensor:
    """An encoding as a tensor of PyTorch's default type, on the device of ``like``."""
    return torch.from_numpy(np.ascontiguousarray(values)).to(like.device, torch.get_default_dtype())


def check_attr_name(attr_name: Any) -> str | None:
    """A name, or None for "append it to x"."""
    if not (attr_name is None or (isinstance(attr_name, str) and attr_name)):
        raise InvalidArgumentError.of("attr_name", attr_name, "a name or None")
    return attr_name


def with_encoding(data: Data, encoding: Tensor, attr_name: str | None) -> Data:
    """A copy with the encoding under a name or, for None, after the columns of ``x``.

    Features that are whole numbers become floats there: an encoding rounded to them would be all zeros.
    """
    encoded = copy.copy(data)
    if attr_name is not None:
        encoded[attr_name] = encoding
    elif encoded.x is None:
        encoded.x = encoding
    else:
        x = encoded.x.view(-1, 1) if encoded.x.dim() == 1 else encoded.x
        if not (x.is_floating_point() or x.is_complex()):
            x = x.to(encoding.dtype)
        encoded.x = torch.cat([x, encoding.to(x.device, x.dtype)], dim=-1)
    return encoded
