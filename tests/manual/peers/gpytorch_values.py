"""What GPyTorch says of the rows of docs/migrate/gpytorch.md: python gpytorch_values.py points.txt > gpytorch.txt"""

import sys
import warnings

import gpytorch
import numpy as np
import torch
from gpytorch import kernels
from saying import say

torch.set_default_dtype(torch.float64)
X = torch.tensor(np.loadtxt(sys.argv[1]))
Y = X[:, 0] ** 2 - X[:, 1]
NEW = X + 0.5


def having(kernel, **values):
    for name, value in values.items():
        setattr(kernel, name, value)
    return kernel


def scaled():
    return having(kernels.ScaleKernel(having(kernels.RBFKernel(), lengthscale=0.8)), outputscale=2.0)


class Process(gpytorch.models.ExactGP):
    """A Gaussian process of mean zero."""

    def __init__(self, likelihood):
        super().__init__(X, Y, likelihood)
        self.mean, self.kernel = gpytorch.means.ZeroMean(), scaled()

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


KERNELS = {
    "RBFKernel": having(kernels.RBFKernel(), lengthscale=0.7),
    "MaternKernel": having(kernels.MaternKernel(nu=1.5), lengthscale=0.7),
    "PeriodicKernel": having(kernels.PeriodicKernel(), lengthscale=0.7, period_length=2.5),
    "PolynomialKernel": having(kernels.PolynomialKernel(power=3), offset=1.7),
    "LinearKernel": having(kernels.LinearKernel(), variance=1.7),
    "ScaleKernel": scaled(),
    "active_dims": having(kernels.RBFKernel(active_dims=(0, 2)), lengthscale=0.7),
    "ard_num_dims": having(kernels.RBFKernel(ard_num_dims=3), lengthscale=torch.tensor([0.5, 1.0, 2.0])),
    "sum and product": scaled() + scaled() * having(kernels.LinearKernel(), variance=1.0),
}

with torch.no_grad(), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print("version", gpytorch.__version__, sep="\t")
    for name, kernel in KERNELS.items():
        say(name, kernel(X).to_dense().numpy())
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    likelihood.noise = 0.05
    process = Process(likelihood).eval()
    likelihood.eval()
    say("mean", process(NEW).mean.numpy())
    say("stddev", process(NEW).stddev.numpy())
    landmarks = kernels.InducingPointKernel(KERNELS["RBFKernel"], X[:3].clone(), likelihood).eval()
    say("InducingPointKernel", landmarks(X, NEW).to_dense().numpy())
