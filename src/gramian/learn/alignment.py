"""Centred kernel–target alignment: how well a kernel fits a question, before anything is learnt.

    A(K, T) = ⟨K̂, T̂⟩ / (‖K̂‖ ‖T̂‖),        ⟨K, T⟩ = Σᵢⱼ K[i, j] T[i, j],

K̂ and T̂ the matrices about their centres of mass: the cosine of the angle between two Gram matrices. The target's
Gram is T = Y Yᵀ, with Y the numbers to be predicted, or one indicator column for each class. 1 says that the kernel
sees the target and nothing else, 0 that it sees nothing of it.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, Literal, cast

import numpy as np
from sklearn.utils.multiclass import type_of_target

from gramian.checks import Array
from gramian.gram.gram import Gram, as_symmetric
from gramian.kernels.algebra import Kernel


def alignment(gram: Gram, target: Any, task: Literal["auto", "classes", "numbers"] = "auto") -> float:
    """Return the centred alignment of a kernel with a target, or with another kernel.

    Parameters
    ----------
    gram : Gram
        A symmetric Gram.
    target : array of shape (n,) or (n, t), or Gram
        Class labels, numbers, or the Gram of the same objects under another kernel.
    task : "auto", "classes" or "numbers"
        What the target means. With "auto" strings and whole numbers are classes, other numbers are numbers.

    Returns
    -------
    float
        Between 0 and 1 for positive semidefinite kernels. Costs O(n²) kernel values and O(n) memory.

    Raises
    ------
    ValueError
        If the target or the kernel is constant, or the target does not fit the Gram.

    See Also
    --------
    KernelSearch : choose a kernel and its parameters
    mean_distance : distance between two centres of mass

    Notes
    -----
    Cost: O(n²) kernel values and O(n) memory.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> round(gm.alignment(gm.Gaussian(bandwidth=1.0).gram(flowers.data), flowers.target), 3)
    0.787
    >>> round(gm.alignment(gm.Gaussian(bandwidth=100.0).gram(flowers.data), flowers.target), 3)
    0.663
    """
    centered = _in_units(as_symmetric(gram, "alignment")).center()
    if isinstance(target, Gram):
        if len(as_symmetric(target, "alignment")) != len(gram):
            raise ValueError(f"the two Grams are of {len(gram)} and {len(target)} objects; the same objects expected")
        other = _in_units(target).center()
        return frobenius(centered, other) / _norm(centered) / _norm(other)
    Y = _columns(target, task, len(gram))
    deviation = Y - Y.mean(axis=0)
    if np.abs(deviation).max() <= 1e-12 * np.abs(Y).max():
        raise ValueError("alignment is not defined for a constant target: every object has the same")
    product = float(np.einsum("ij,ij->", deviation, centered.apply(deviation)))
    return product / _norm(centered) / float(np.linalg.norm(deviation.T @ deviation))


def frobenius(K: Gram, L: Gram) -> float:
    """Return Σᵢⱼ K[i, j] L[i, j], a few rows at a time."""
    step = max(1, K.memory // (4 * 8 * len(K)))
    total = 0.0
    for start in range(0, len(K), step):
        rows = slice(start, start + step)
        stripe = K.block(rows, slice(None)).astype(np.float64)
        total += float(np.vdot(stripe, stripe if L is K else L.block(rows, slice(None))))
    return total


def _in_units(gram: Gram) -> Gram:
    """Return K in units of its largest entry, whose squares can neither overflow nor vanish."""
    scale = gram.scale()
    return gram * (1 / scale) if scale > 0 else gram


def _norm(centered: Gram) -> float:
    found = sqrt(frobenius(centered, centered))
    eps = float(np.finfo(centered.dtype).eps)
    explicit = cast(Kernel, centered.kernel).explicit(centered.rows)  # then features are centred, and κ loses no digits
    if found <= 1e3 * len(centered) * (eps**2 if explicit else eps):
        raise ValueError("alignment is not defined for a constant kernel: all objects have the same image")
    return found


def _columns(target: Any, task: str, n: int) -> Array:
    if task not in ("auto", "classes", "numbers"):
        raise ValueError(f"task is {task!r}; 'auto', 'classes' or 'numbers' expected")
    y = np.asarray(target)
    if y.ndim not in (1, 2) or len(y) != n or (y.ndim == 2 and task == "classes" and y.shape[1] != 1):
        raise ValueError(f"the target has shape {y.shape}; one label or number for each of {n} objects expected")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("the target holds something that is not a finite number; drop those objects first")
    if task == "auto":
        task = "classes" if type_of_target(y) in ("binary", "multiclass") else "numbers"
    if task == "classes":
        return np.asarray(np.equal.outer(y.ravel(), np.unique(y)), dtype=np.float64)
    if y.dtype.kind not in "fiub":
        raise ValueError("the target holds something that is not a finite number; pass task='classes' for labels")
    return y.reshape(n, -1).astype(np.float64)
