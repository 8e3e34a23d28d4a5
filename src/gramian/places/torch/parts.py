"""What encodings hold, as tensors: which device they are on, in which precision, and how to bring them elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from gramian.formula import expression as ex
from gramian.formula.encoded import Encoded
from gramian.formula.expression import Formula, Path

VECTORS = ex.Dot | ex.SquaredDistance | ex.CityBlock


def at(a: Encoded, path: Path) -> Any:
    """Return the part of encodings at a path, all of them for the empty one."""
    for place in path:
        a = a.parts[place]
    return a


def tensors(a: Any) -> list[Tensor]:
    """Return all tensors that encodings hold."""
    if isinstance(a, Encoded):
        return [found for part in a.parts for found in tensors(part)]
    return [a] if isinstance(a, Tensor) else []


def device_of(*encodings: Encoded) -> torch.device:
    """Return the one device that the tensors of encodings are on.

    Raises
    ------
    ValueError
        If there are several.
    """
    devices = list(dict.fromkeys(t.device for a in encodings for t in tensors(a)))
    if len(devices) > 1:
        raise ValueError(f"data on {devices[0]} and data on {devices[1]} were given: move one with .to(device)")
    return devices[0] if devices else torch.device("cpu")


def in_two_places(device: torch.device) -> ValueError:
    """Return the error for data some of which is NumPy's."""
    return ValueError(
        f"a tensor on {device} and an array of NumPy were given: both must be in one place; gm.to_device(X, 'cuda') "
        "makes a tensor, gm.to_device(X, 'cpu') an array of NumPy"
    )


def check_devices(formula: Formula, a: Encoded, b: Encoded) -> None:
    """Refuse vectors that are in two places.

    Raises
    ------
    ValueError
        If some are on one device and some on another, or in arrays of NumPy.
    """
    device_of(a, b)
    for leaf in formula.walk():
        if isinstance(leaf, VECTORS):
            x, z = at(a, leaf.part), at(b, leaf.part)
            if isinstance(x, Tensor) != isinstance(z, Tensor):
                raise in_two_places((x if isinstance(x, Tensor) else z).device)


def precision_of(formula: Formula, a: Encoded, b: Encoded) -> torch.dtype:
    """Return the precision of values between two encodings: single where all that is compared is, else double."""
    compared = [leaf for leaf in formula.walk() if isinstance(leaf, ex.Leaf) and leaf.of_pairs]
    single = bool(compared) and all(_is_single(leaf, side) for leaf in compared for side in (a, b))
    return torch.float32 if single else torch.float64


def _is_single(leaf: ex.Leaf, a: Encoded) -> bool:
    if isinstance(leaf, ex.Opaque):
        return np.asarray(leaf.norms(on_host(at(a[:1], leaf.part)))).dtype == np.float32
    return at(a, leaf.part).dtype in (torch.float32, np.float32)


def on_host(a: Any) -> Any:
    """Return encodings with NumPy's arrays in place of tensors."""
    if isinstance(a, Encoded):
        return Encoded(tuple(map(on_host, a.parts)))
    return a.detach().cpu().numpy() if isinstance(a, Tensor) else a


def on_device(a: Any, device: torch.device | str) -> Any:
    """Return encodings with tensors on a device in place of NumPy's arrays of numbers; other parts stay as they are."""
    if isinstance(a, Encoded):
        return Encoded(tuple(on_device(part, device) for part in a.parts))
    if isinstance(a, np.ndarray) and a.dtype.kind == "f":
        return torch.from_numpy(np.ascontiguousarray(a)).to(device)
    return a.to(device) if isinstance(a, Tensor) else a
