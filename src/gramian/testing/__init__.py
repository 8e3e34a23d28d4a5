"""The conformance suite: what every kernel and every Gram must satisfy, for our tests and for yours.

from gramian.testing import check_kernel, check_gram

check_kernel(MyKernel(), X)          # raises AssertionError with the claim that failed
check_gram(MyKernel().gram(X))
"""

from gramian.testing.conformance import check_gram, check_kernel

__all__ = ["check_gram", "check_kernel"]
