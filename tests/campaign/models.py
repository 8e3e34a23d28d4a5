"""Model files from strangers: damaged ones, and forged ones whose checksum is right. Loaded, or one `ModelFileError`.

What is loaded is asked for answers, and given to commands. Answers of a forged model may be nonsense, but asking it may
raise nothing other than a ValueError or a TypeError, and may not crash, hang, or take more memory than there is.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
from tests.models.forging import Forge, put_together

from gramian.models import ModelFileError, load

from .attack import Attack, Case, one_of, require
from .inputs import _folder

Luck = np.random.Generator


@cache
def sound() -> tuple[tuple[str, bytes], ...]:
    """Return sound files of the forge, by name."""
    return tuple((name, put_together(tree, arrays)) for name, _, tree, arrays in forge().sound)


# Damage, which the checksum tells


def flipped(rng: Luck, contents: bytes) -> bytes:
    data = bytearray(contents)
    for place in rng.integers(len(data), size=int(rng.integers(1, 4))):
        data[place] ^= 1 << int(rng.integers(8))
    return bytes(data)


def zeroed(rng: Luck, contents: bytes) -> bytes:
    start = int(rng.integers(len(contents)))
    size = int(rng.integers(1, 600))
    return contents[:start] + bytes(min(size, len(contents) - start)) + contents[start + size :]


def spliced(rng: Luck, contents: bytes) -> bytes:
    _, other = one_of(rng, sound())
    place = int(rng.integers(len(contents)))
    return contents[:place] + other[place:]


DAMAGES = {
    "flipped": flipped,
    "cut": lambda rng, contents: contents[: int(rng.integers(len(contents)))],
    "zeroed": zeroed,
    "spliced": spliced,
    "lengthened": lambda rng, contents: contents + rng.bytes(int(rng.integers(1, 99))),
    "noise": lambda rng, contents: contents[: int(rng.integers(80))] + rng.bytes(int(rng.integers(500))),
    "moved": lambda rng, contents: contents[int(rng.integers(1, 99)) :],
}


# Forgery: the checksum is right


@cache
def forge() -> Forge:
    return Forge(Path(_folder()), per_learner=4)


@cache
def forge_of_commands() -> Forge:
    """Return a forge of the files that `gramian fit` writes, for the commands that take them."""
    return Forge.of_commands(Path(_folder()))


def forged(number: int) -> None:
    fault = forge().trial(number)
    require(fault is None, str(fault))


def given_to_a_command(number: int) -> None:
    fault = forge_of_commands().command_trial(number)
    require(fault is None, str(fault))


def damaged(new: bytes) -> None:
    path = Path(_folder(), f"damaged-{os.getpid()}.gramian")
    path.write_bytes(new)
    load(path)
    require(any(new == one for _, one in sound()), "a damaged file was loaded")


def make(rng: np.random.Generator) -> Case:
    """Return a case: a file that is damaged, or forged and then asked or given to a command."""
    kind, number = rng.random(), int(rng.integers(2**31))
    if kind < 0.65:
        return Case(f"forged with luck {number}", lambda: forged(number))
    if kind < 0.7:
        return Case(f"forged with luck {number}, for a command", lambda: given_to_a_command(number))
    name, contents = one_of(rng, sound())
    how = one_of(rng, DAMAGES)
    new = DAMAGES[how](rng, contents)
    return Case(f"{name}, {how}", lambda: damaged(new))


ATTACK = Attack("models", 10_000, make, refusals=(ModelFileError,))  # the first case makes all sound files
