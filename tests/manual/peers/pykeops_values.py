"""What KeOps says of the rows of docs/migrate/keops.md: python pykeops_values.py points.txt > pykeops.txt"""

import sys

import numpy as np
import pykeops
from saying import say

pykeops.set_verbose(False)
from pykeops.numpy import LazyTensor  # noqa: E402 - silent from here on

x = np.loadtxt(sys.argv[1])
y, s = x[:4] + 0.5, 1.3
v = y[:, :1]
x_i, y_j, x_j = LazyTensor(x[:, None, :]), LazyTensor(y[None, :, :]), LazyTensor(x[None, :, :])
gaussian = (-((x_i - y_j) ** 2).sum(-1) / (2 * s**2)).exp()

print("version", pykeops.__version__, sep="\t")
say("K @ v", gaussian @ v)
say("sum", gaussian.sum(dim=1))
say("absolute differences", (-((x_i - y_j).abs()).sum(-1) / s).exp() @ v)
say("product of points", (x_i | y_j) @ v)
say("sum and product", (gaussian * (x_i | y_j) + gaussian) @ v)
say("solve", (-((x_i - x_j) ** 2).sum(-1) / (2 * s**2)).exp().solve(x[:, :1].copy(), alpha=0.1, eps=1e-12))
