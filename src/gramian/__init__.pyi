from gramian import testing as testing
from gramian.datasets import load_iris as load_iris
from gramian.factor.cholesky import LowRank as LowRank
from gramian.factor.cholesky import cholesky as cholesky
from gramian.factor.eigen import Eigen as Eigen
from gramian.factor.eigen import eigen as eigen
from gramian.factor.psd import PsdCertificate as PsdCertificate
from gramian.factor.psd import is_psd as is_psd
from gramian.gram.encoded import Encoded as Encoded
from gramian.gram.gram import Gram as Gram
from gramian.kernels.algebra import Kernel as Kernel
from gramian.kernels.dotproduct import Bilinear as Bilinear
from gramian.kernels.dotproduct import Linear as Linear
from gramian.kernels.dotproduct import Polynomial as Polynomial
from gramian.kernels.precomputed import Precomputed as Precomputed
from gramian.kernels.radial import Gaussian as Gaussian
from gramian.kernels.radial import Laplacian as Laplacian
from gramian.kernels.radial import Matern as Matern
from gramian.kernels.standardize import Standardize as Standardize
from gramian.kernels.subsets import AllSubsets as AllSubsets
from gramian.kernels.subsets import Anova as Anova
from gramian.space.maps import CholeskyMap as CholeskyMap
from gramian.space.maps import EmpiricalMap as EmpiricalMap
from gramian.space.maps import MercerMap as MercerMap
from gramian.space.means import MeanTest as MeanTest
from gramian.space.means import mean_distance as mean_distance
from gramian.space.means import mean_test as mean_test
from gramian.space.means import stability_bound as stability_bound
from gramian.space.subspace import Subspace as Subspace
from gramian.space.vectors import FeatureSpace as FeatureSpace
from gramian.space.vectors import Vectors as Vectors

__version__: str
__all__: list[str]
