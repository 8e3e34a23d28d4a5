"""The formulas behind the figures of a report, with where they come from and what computes them."""

from __future__ import annotations

from dataclasses import asdict, dataclass

CHAPTER = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis"


@dataclass(frozen=True)
class Formula:
    """A formula: its name, one line of mathematics, what it says, its source and the code that computes it."""

    id: str
    name: str
    formula: str
    text: str
    source: str
    code: str


FORMULAS = (
    Formula(
        "kernel",
        "Kernel",
        "κ(x, z) = ⟨φ(x), φ(z)⟩",
        "A kernel says how alike two objects are: it is the inner product of their images φ in a feature space that is "
        "never written down. All that this report shows is made of such inner products.",
        f"{CHAPTER}, chapter 5",
        "gramian.Kernel, gramian.Gram",
    ),
    Formula(
        "alignment",
        "Kernel–target alignment",
        "A(K, y) = ⟨K̂, ŷŷᵀ⟩ / (‖K̂‖ ‖ŷŷᵀ‖)",
        "How well the likenesses agree with the target: 1 if objects are alike exactly when their targets are, 0 if "
        "the two have nothing to do with each other. The hats stand for centring.",
        "Cortes, Mohri & Rostamizadeh 2012",
        "gramian.alignment",
    ),
    Formula(
        "loo",
        "Leave-one-out error in closed form",
        "e₋ᵢ = eᵢ / (1 − hᵢᵢ),   H = 11ᵀ/n + K̂(K̂ + λI)⁻¹",
        "The error at each object as if the model had been fitted without it, from a single fit. K̂ is centred, and "
        "11ᵀ/n is the share of the intercept; classes are columns of indicators, whose squared errors are averaged.",
        "Allen 1974, the prediction sum of squares",
        "gramian.KernelRidge, gramian.FisherDiscriminant",
    ),
    Formula(
        "norm",
        "Norm and distance",
        "‖φ(x) − φ(z)‖² = κ(x, x) − 2κ(x, z) + κ(z, z)",
        "Lengths and distances in feature space follow from inner products alone.",
        f"{CHAPTER}, section 5.1",
        "gramian.Vectors.norms, gramian.Vectors.distances",
    ),
    Formula(
        "center",
        "Distance to the centre of mass",
        "‖φ(x) − φ_S‖² = κ(x, x) − (2/n) Σᵢ κ(x, xᵢ) + (1/n²) Σᵢⱼ κ(xᵢ, xⱼ)",
        "φ_S is the mean of the images of n objects. Objects far from it are unlike the rest.",
        f"{CHAPTER}, section 5.1",
        "gramian.Vectors.mean, gramian.Vectors.distances",
    ),
    Formula(
        "variance",
        "Total variance",
        "V = (1/n) Σᵢ κ(xᵢ, xᵢ) − (1/n²) Σᵢⱼ κ(xᵢ, xⱼ)",
        "The mean squared distance of the images to their centre.",
        f"{CHAPTER}, section 5.1",
        "gramian.Vectors.total_variance",
    ),
    Formula(
        "dimension",
        "Effective dimension",
        "d = (Σₖ λₖ)² / Σₖ λₖ²",
        "How many directions the data spreads over, evenly counted: k equal eigenvalues give k, one that outweighs all "
        "others gives 1.",
        "Participation ratio of the spectrum of the centred Gram matrix",
        "gramian.KernelPCA",
    ),
    Formula(
        "psd",
        "Certificate of a kernel",
        "aᵀKa ≥ 0 for every a,   that is   λ_min(K) ≥ 0",
        "The matrix of inner products of real vectors has no negative eigenvalue; a clearly negative one would mean "
        "that no feature space exists.",
        f"{CHAPTER}, chapter 3",
        "gramian.is_psd",
    ),
    Formula(
        "pca",
        "Kernel principal components",
        "K̂v = λv,   coordinate of x:  λ^(−½) Σᵢ vᵢ κ̂(xᵢ, x)",
        "The directions of largest variance in feature space. λₖ/Σλ is the share of the variance along the k-th.",
        f"{CHAPTER}, section 6.2",
        "gramian.KernelPCA",
    ),
    Formula(
        "valley",
        "Clusters that stand apart",
        "s(x) = min_A d(x, a) − min_B d(x, b),  mean_A d² − mean_B d²,  or uᵀx;   p = P(Bin(c_V + c, 2/5) ≤ c_V)",
        "One half of the objects proposes a boundary, between two branches A and B of a tree of distances or along a "
        "column or principal component u, and picks the s with the clearest valley; the other half is asked whether it "
        "is there: c_V objects in it, and c in as wide a strip on the sparser side. Both halves take turns, five "
        "times, and the median p counts; what a boundary leaves on its sides is tested in the same way.",
        "Sample splitting against a single peak, without an assumption on the shape",
        "gramian.find_clusters",
    ),
    Formula(
        "silhouette",
        "Silhouette",
        "s = (b − a) / max(a, b)",
        "a is the mean distance to the objects of the same cluster, b to those of the nearest other one. Near 1 the "
        "clusters stand apart, near 0 they touch.",
        "Rousseeuw 1987, with distances in feature space",
        "gramian.Vectors.distances",
    ),
    Formula(
        "novelty",
        "Novelty with a guarantee",
        "novel if ‖φ(x) − φ_S‖ exceeds the ⌈(m + 1)(1 − α)⌉-th smallest of m distances set aside",
        "φ_S is the mean of one half of the objects, drawn at random; the m others are set aside. A new object of the "
        "same origin exceeds that threshold with probability at most α, whatever the distribution.",
        f"{CHAPTER}, Algorithm 5.4, with the split-conformal threshold",
        "gramian.NoveltyDetector",
    ),
    Formula(
        "parzen",
        "Nearest centre of mass",
        "class of x = argmin_c ‖φ(x) − φ_c‖",
        "The simplest classifier there is: the class whose centre is nearest.",
        f"{CHAPTER}, Algorithm 5.6",
        "gramian.ParzenClassifier",
    ),
    Formula(
        "fisher",
        "Fisher discriminant",
        "max_w  wᵀS_b w / wᵀ(S_w + λI)w",
        "The direction along which the classes are farthest apart, compared with their own spread.",
        f"{CHAPTER}, Algorithm 5.16",
        "gramian.FisherDiscriminant",
    ),
    Formula(
        "ridge",
        "Kernel ridge regression",
        "α = (K̂ + λI)⁻¹ (y − ȳ),   f(x) = ȳ + Σᵢ αᵢ κ̂(xᵢ, x)",
        "The smoothest function that is near the targets, about their mean ȳ; λ says how much smoothness is worth, and "
        "the hats stand for centring.",
        f"{CHAPTER}, chapter 2",
        "gramian.KernelRidge",
    ),
    Formula(
        "dof",
        "Effective degrees of freedom",
        "df(λ) = 1 + Σₖ λₖ / (λₖ + λ)",
        "How many directions ridge regression really uses at a ridge λ; 1 is the intercept, and λₖ are the eigenvalues "
        "of K̂.",
        "Trace of the smoother",
        "gramian.RidgePath",
    ),
    Formula(
        "nystrom",
        "Error of a low-rank answer",
        "ε = tr(K − K̃) / tr K",
        "Large data are seen through landmarks. ε is the share of all squared lengths that the landmarks do not "
        "explain; 0 would be exact. Of the variance they leave out at most ε · mean κ(x, x) / V.",
        "Randomly pivoted Cholesky, Chen et al. 2023",
        "gramian.Nystrom, gramian.cholesky",
    ),
    Formula(
        "importance",
        "Permutation importance",
        "I(j) = mean over folds of  ℓ(column j exchanged) − ℓ",
        "What a model loses at objects it has not seen when it is told a column's values for the wrong ones. Its "
        "error is that over folds, widened because they share objects to learn from.",
        "Breiman 2001; Nadeau & Bengio 2003",
        "gramian.importance",
    ),
    Formula(
        "effects",
        "Accumulated local effects",
        "g(zₖ) = Σ_{j ≤ k} (1/nⱼ) Σᵢ [f(zⱼ, xᵢ) − f(zⱼ₋₁, xᵢ)]",
        "How the answer changes with one column, added up over steps between neighbouring values, each taken by the "
        "objects that lie there, all their other columns kept.",
        "Apley & Zhu 2020",
        "gramian.effects",
    ),
    Formula(
        "apart",
        "What sets a class apart",
        "d = (mean inside − mean outside) / s,      h = 2 arcsin √p − 2 arcsin √q",
        "The difference of a number in units of the standard deviation s within the two, and of shares p and q of a "
        "category or word inside and outside; only what chance would hardly make is shown.",
        "Cohen 1988",
        "gramian.profiles",
    ),
    Formula(
        "learning",
        "Learning curve",
        "ℓ(m) = mean loss at objects not seen, of models that learnt from m others",
        "Where it still falls at the right end, beyond the error of the paired comparison, more objects would help.",
        "Cortes, Jackel, Solla, Vapnik & Denker 1993",
        "gramian.report",
    ),
)


def appendix() -> list[dict[str, str]]:
    """Return all formulas as plain values."""
    return [asdict(one) for one in FORMULAS]
