"""One line of what a peer says: a name, a tab, and numbers to the last digit."""

import numpy as np


def say(name: str, values: np.ndarray) -> None:
    print(name, " ".join(f"{value:.17g}" for value in np.ravel(values)), sep="\t")
