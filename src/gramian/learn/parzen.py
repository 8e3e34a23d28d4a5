"""The Parzen window classifier: assign each object to the nearest centre of mass (seed 000, Algorithm 5.6).

With φ_c the centre of class c, ‖φ(x) − φ_c‖² = κ(x, x) − 2 ⟨φ_c, φ(x)⟩ + ‖φ_c‖², so the nearest centre is the largest
of

    g_c(x) = ⟨φ_c, φ(x)⟩ − ½ ‖φ_c‖².

For two classes it is the sign of Σᵢ αᵢ κ(xᵢ, x) − b, α = α⁺ − α⁻, b = ½ (α⁺ᵀKα⁺ − α⁻ᵀKα⁻). With a kernel that is a
density, Σ αᵢ κ(xᵢ, x) is the difference of two Parzen window estimates.
"""

from __future__ import annotations

from typing import Any, Self

from gramian.kernels.algebra import Kernel
from gramian.learn.base import MEDIAN_GAUSSIAN
from gramian.learn.classifier import KernelClassifier, class_means
from gramian.space.vectors import Vectors


class ParzenClassifier(KernelClassifier):
    """Classify objects by the nearest centre of mass in feature space (Algorithm 5.6).

    Nothing is solved and nothing is tuned but the kernel: one pass over K, O(n²) kernel values and O(n) memory. A good
    first answer, and the baseline that a dearer method has to beat.

    Parameters
    ----------
    kernel : Kernel
        By default the Gaussian with the median distance as bandwidth. In high dimensions a smaller one is often better.

    Attributes
    ----------
    kernel_, sample_
        The settled kernel and the images of the training objects.
    classes_ : array of shape (c,)
        The labels, sorted; with two of them the second is the positive one.
    centers_ : Vectors
        The centres of mass of the classes.
    dual_coef_ : array of shape (n,), or (n, c) for more than two classes
        α = α⁺ − α⁻; for more classes the weights of each centre.
    offset_ : float, or array of shape (c,)
        b = ½ (‖φ₊‖² − ‖φ₋‖²); for more classes ½ ‖φ_c‖².

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> model = gm.ParzenClassifier(gm.Gaussian(bandwidth=0.5)).fit(flowers.data, flowers.target)
    >>> round(model.score(flowers.data, flowers.target), 2)
    0.97
    """

    centers_: Vectors

    def __init__(self, kernel: Kernel = MEDIAN_GAUSSIAN) -> None:
        self.kernel = kernel

    def fit(self, X: Any, y: Any) -> Self:
        """Find the centres of the classes.

        Parameters
        ----------
        X : objects that the kernel accepts, or their symmetric Gram
        y : array of shape (n,)
            Labels of at least two classes. The centre of a class of one member is that object.
        """
        sample = self._learn_sample(X)
        labels = self._classes(y)
        weights = class_means(labels, len(self.classes_))
        self.centers_ = sample.combine(weights)
        self._keep(weights, self.centers_.norms() ** 2 / 2)
        return self
