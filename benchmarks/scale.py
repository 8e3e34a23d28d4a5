"""The claims on large samples: exact answers without the matrix, low rank, streams, strings, nodes.

Every contender runs in a process of its own. What cannot be run is not tried: the note says what it would take, from
what it took at a smaller size.
"""

from functools import partial

import numpy as np
from floors import of_moments, of_products
from measure import alone, free_memory, must, total_memory
from record import NOT, Claim, Contender, contender, demands
from sizes import Sizes

GB = 1000.0  # megabytes
RIDGE = 0.01  # about what makes the error at new objects smallest, at the noise and the sizes of these claims


def matrix(n: int) -> str:
    """What a program that holds K is up against."""
    need = 8 * n * n
    if need > total_memory():
        return f"cannot: needs {need / 1e9:.0f} GB for the matrix alone"
    return f"not run: holds the matrix, {need / 1e9:.2g} GB"


def larger(name: str, job: str, n: int, small: Contender, limit: int, text: str) -> Contender:
    """Run a program that holds K at n, if there is room for what it will need by what it took at a smaller size."""
    need = small.megabytes * 1e6 * (n / small.n) ** 2
    if need <= 0.95 * free_memory():
        return contender(name, n, alone(job, n, limit=limit), text)
    took = f"{small.megabytes / GB:.1f} GB at n = {small.n:,}" if need > 0 else "not measured"
    return Contender(name, n, cannot=f"cannot: needs {need / 1e9:.0f} GB ({took})")


def exact_ridge(sizes: Sizes) -> Claim:
    n = sizes.ridge
    ridge = RIDGE
    found = must("exact_ridge", n, ridge)
    ours = contender("gramian", n, found, "residual {residual:.0e}; {products} products", ours=True)
    floor, text = of_products(n, 10, found["products"], found["products"])
    wanted, holds = demands(
        a=("residual ≤ 1e-6", found["residual"] <= 1e-6),
        b=("≤ 40 products with K", found["products"] <= 40),
        c=("< 2 GB", found["peak"] < 2 * GB),
    )
    product = must("keops_product", sizes.duel, "float64")["seconds"] * (n / sizes.duel) ** 2
    others = [Contender(name, n, cannot=matrix(n)) for name in ("scikit-learn", "himalaya")]
    others += [
        Contender("GPyTorch", n, cannot=f"{matrix(n)}; by its KeOps kernels {product:.0f} s a product"),
        Contender("pykeops", n, cannot=f"not run: {product:.0f} s a product, and hundreds without a preconditioner"),
    ]
    return Claim(
        f"KernelRidge, exact, n = {n:,}, d = 10, float64, ridge {ridge:.2g}",
        "(needs the matrix)",
        found["seconds"],
        NOT,
        wanted,
        holds,
        f"residual {found['residual']:.0e}, recomputed in double precision; {found['solver']}; error "
        f"{found['error']:.3f} at new objects",
        found["peak"],
        contenders=[ours, *others],
        floor_s=floor,
        floor=text,
    )


def exact_ridge_duel(sizes: Sizes) -> Claim:
    n = sizes.duel
    ridge = RIDGE
    text = "residual {residual:.0e}"
    jobs = {
        "scikit-learn": ("ridge_sklearn",),
        "GPyTorch, preconditioner of rank 15": ("ridge_gpytorch",),
        "GPyTorch, preconditioner of rank 100": ("ridge_gpytorch", "100"),
        "himalaya": ("ridge_himalaya",),
        "pykeops": ("ridge_keops",),
    }
    found = must("plain_ridge", n, ridge)
    ours = contender("gramian", n, found, text, ours=True)
    peers = [
        contender(name, n, alone(job, n, ridge, *rest, limit=sizes.limit), text) for name, (job, *rest) in jobs.items()
    ]
    fastest = min((one for one in peers if one.seconds > 0), key=lambda one: one.seconds, default=peers[0])
    holding = [one for one in peers if one.name != "pykeops"]
    wanted, holds = demands(
        a=("faster than every peer", not fastest.seconds <= ours.seconds),
        b=("less memory than those that hold K", not any(one.megabytes <= ours.megabytes for one in holding)),
        c=("residual ≤ 1e-6", found["residual"] <= 1e-6),
    )
    return Claim(
        f"(K + {ridge:.2g} I) a = y, n = {n:,}, d = 10, float64",
        f"{fastest.name}, the fastest of {len({one.name.split(',')[0] for one in peers})}",
        ours.seconds,
        fastest.seconds,
        wanted,
        holds,
        f"residual {found['residual']:.0e}",
        ours.megabytes,
        fastest.megabytes,
        [ours, *peers],
    )


def exact_pca(sizes: Sizes) -> Claim:
    n, m = sizes.pca, sizes.pca_duel
    text = "largest residual {residual:.0e} λ₁"
    found = must("exact_pca", n)
    ours = contender("gramian", n, found, text, ours=True)
    small = contender("gramian", m, must("exact_pca", m), text, ours=True)
    peer = contender("scikit-learn", m, alone("pca_sklearn", m, limit=sizes.limit), text)
    large = larger("scikit-learn", "pca_sklearn", n, peer, 2 * sizes.limit, text)
    floor, reason = of_products(n, 10, found["columns"], found["products"])
    wanted, holds = demands(
        a=("residual ≤ 1e-6 λ₁", found["residual"] <= 1e-6), b=("< 1.5 GB", found["peak"] < 1.5 * GB)
    )
    return Claim(
        f"KernelPCA(10), exact, n = {n:,}, d = 10, float64",
        "scikit-learn KernelPCA",
        found["seconds"],
        large.seconds,
        wanted,
        holds,
        f"residual {found['residual']:.0e} λ₁; {found['products']} products, {found['columns']} columns in all"
        + (f"; the peer {large.cannot}" if large.cannot else ""),
        found["peak"],
        large.megabytes,
        contenders=[ours, large, small, peer],
        floor_s=floor,
        floor=reason,
    )


def exact_fisher(sizes: Sizes) -> Claim:
    n = sizes.fisher
    found = must("exact_fisher", n, 1e-3)
    wanted, holds = demands(
        a=("residual ≤ 1e-6", found["residual"] <= 1e-6 and not found["warned"]),
        b=("≤ 60 products with K", found["products"] <= 60),
        c=("< 2 GB", found["peak"] < 2 * GB),
    )
    floor, reason = of_products(n, 10, found["products"], found["products"])
    return Claim(
        f"FisherDiscriminant(ridge=1e-3), exact, n = {n:,}, d = 10, two classes",
        "(no peer has it)",
        found["seconds"],
        NOT,
        wanted,
        holds,
        f"residual {found['residual']:.0e}, recomputed; {found['solver']}; {found['accuracy']:.1%} of new ones right",
        found["peak"],
        contenders=[
            contender("gramian", n, found, "residual {residual:.0e}; {products} products", ours=True),
            Contender("every peer", n, cannot="cannot: has no kernel Fisher discriminant"),
        ],
        floor_s=floor,
        floor=reason,
    )


def low_rank(sizes: Sizes) -> Claim:
    n, rank = sizes.low_rank, sizes.rank
    text = "test error {error:.4f}"
    found = must("low_rank_ridge", n, rank)
    ours = contender("gramian, ridge by leave-one-out", n, found, text, ours=True)
    same = contender("gramian, ridge 1", n, must("low_rank_ridge", n, rank, 1.0), text, ours=True)
    need = 17e3 * n * rank / 1000  # bytes, as measured at smaller n: Φ and the kernel values, or Φ and its copy
    dtype = "float64" if need < 0.85 * total_memory() else "float32"
    answer = alone("low_rank_sklearn", n, rank, 1.0, dtype, limit=4 * sizes.limit)
    peer = contender(f"scikit-learn Nystroem and Ridge(), {dtype}", n, answer, text)
    wanted, holds = demands(
        a=("< 2 GB", max(ours.megabytes, same.megabytes) < 2 * GB),
        b=("no slower", not ours.seconds > peer.seconds),
        c=("lower test error", not found["error"] >= answer.get("error", np.inf)),
    )
    floor, reason = of_moments(n, rank, 10)
    return Claim(
        f"KernelRidge(rank={rank}), n = {n:,}, d = 10, float64",
        f"Nystroem({rank}) and Ridge()",
        ours.seconds,
        peer.seconds,
        wanted,
        holds,
        f"root mean squared error at 10,000 new objects, without noise: {ours.answer.split()[-1]}, with the "
        f"peer's ridge {same.answer.split()[-1]}, against {answer.get('error', np.nan):.4f}; the ridge chosen is "
        f"{found['ridge']:.2g}",
        ours.megabytes,
        peer.megabytes,
        [ours, same, peer],
        floor,
        reason,
    )


def streamed(sizes: Sizes, learner: str) -> Claim:
    """A learner that goes through files, in low rank and exactly, and whether that is the answer from an array."""
    name = {"parzen": "ParzenClassifier", "novelty": "NoveltyDetector"}[learner]
    rank = sizes.rank

    def run(n: int, form: str, rank: object) -> tuple[Contender, dict]:
        found = must("stream", n, learner, form, rank)
        how = "exact" if rank == "exact" else f"rank {rank}"
        answer = f"trace left out {found['trace_error']:.0e}" if rank != "exact" else "exact"
        answer += f"; {found['accuracy']:.1%} right" if "accuracy" in found else ""
        return contender(f"gramian, {how}, {form}", n, found, answer, ours=True), found

    rows = [run(sizes.stream, form, rank)[0] for form in ("npy", "parquet")]
    rows.append(run(sizes.stream_exact if learner == "parzen" else sizes.novelty_exact, "npy", "exact")[0])
    gap = max(run(sizes.stream_check, form, "exact")[1]["gap"] for form in ("npy", "parquet"))
    off = run(sizes.stream_check, "npy", rank)[1]["gap"]
    peers = []
    if learner == "parzen":
        m = sizes.centroid
        rows.append(run(m, "npy", rank)[0])
        answer = alone("centroid_sklearn", m, rank, limit=sizes.limit)
        peers.append(contender("scikit-learn Nystroem, NearestCentroid, in memory", m, answer, "{accuracy:.1%} right"))
    else:
        peers.append(Contender("every peer", sizes.stream, cannot="cannot: has no distances from a centre of mass"))
    wanted, holds = demands(
        a=("each < 1 GB", all(row.megabytes < GB for row in rows)), b=("equal to the answer from an array", gap < 1e-6)
    )
    return Claim(
        f"{name} from files, n = {sizes.stream:,}, d = 10, float32, rank {rank}",
        "NearestCentroid on Nystroem" if learner == "parzen" else "(no peer has it)",
        rows[-1].seconds if learner == "parzen" else rows[0].seconds,
        peers[0].seconds,
        wanted,
        holds,
        (f"compared at n = {sizes.centroid:,}; " if learner == "parzen" else "")
        + f"at n = {sizes.stream_check:,} exact from files and from an array differ by {gap:.0e} of the largest "
        f"score, and rank {rank} by {off:.0e}",
        max(row.megabytes for row in rows),
        peers[0].megabytes,
        [*rows, *peers],
    )


def strings(sizes: Sizes) -> Claim:
    n = sizes.strings
    text = "test error {error:.4f}"
    found = must("string_ridge", n)
    ours = contender("gramian", n, found, text, ours=True)
    peer = contender("CountVectorizer and Ridge", n, alone("string_sklearn", n, limit=sizes.limit), text)
    pairs = must("string_pairs_strkernels", 32)
    days = pairs["seconds"] / pairs["pairs"] * n * n / 86400
    dual = Contender("strkernels", n, cannot=f"cannot: {8e-9 * n * n:.2g} GB and {days:,.1f} days for n² pairs")
    wanted, holds = demands(a=("through the primal side", found["solver"].startswith("primal")))
    return Claim(
        f"Spectrum(5) and KernelRidge, {n:,} DNA strings of length 100",
        "CountVectorizer and Ridge",
        ours.seconds,
        peer.seconds,
        wanted,
        holds,
        f"{found['solver']}; both are the same model: {ours.answer} and {peer.answer}",
        ours.megabytes,
        peer.megabytes,
        [ours, peer, dual],
    )


def nodes(sizes: Sizes) -> Claim:
    n = sizes.nodes
    found = must("node_pca", n)
    answer = alone("node_eigsh", n, limit=sizes.limit)
    ours = contender("gramian", n, found, "groups found {recovered:.3f}; residual {residual:.0e} λ₁", ours=True)
    peer = contender("scipy eigsh on S (no kernel, no centring)", n, answer, "groups found {recovered:.3f}")
    dense = Contender("K in memory, then PCA", n, cannot=matrix(n))
    wanted, holds = demands(
        a=("< 1 GB", ours.megabytes < GB),
        b=("residual ≤ 1e-6 λ₁", found["residual"] <= 1e-6),
        c=("groups as well found", found["recovered"] >= answer.get("recovered", 0) - 0.01),
    )
    return Claim(
        f"KernelPCA(3) with ExponentialDiffusion, {n:,} nodes of degree 20 in 4 groups",
        "scipy eigsh on the normalized adjacency",
        ours.seconds,
        peer.seconds,
        wanted,
        holds,
        "not the same job: eigsh gives eigenvectors of S, which exp(βS) shares, but neither the centred kernel nor "
        "its variances; groups found is the adjusted Rand index",
        ours.megabytes,
        peer.megabytes,
        [ours, peer, dense],
    )


def checkpoint(sizes: Sizes) -> Claim:
    n, ridge = sizes.checkpoint, RIDGE
    answers: dict[str, list[dict]] = {"": [], "kept": []}
    for _ in range(2):
        for how, found in answers.items():
            found.append(must("exact_ridge", n, ridge, *([how] if how else [])))
    plain, kept = (min(found, key=lambda answer: answer["seconds"]) for found in answers.values())
    wanted, holds = demands(a=("≤ 1.1 × the time", kept["seconds"] <= 1.1 * plain["seconds"]))
    return Claim(
        f"KernelRidge with a checkpoint, exact, n = {n:,}, d = 10",
        "the same without",
        kept["seconds"],
        plain["seconds"],
        wanted,
        holds,
        f"residuals {kept['residual']:.0e} and {plain['residual']:.0e}",
        kept["peak"],
        plain["peak"],
        [
            contender("with checkpoint", n, kept, "{products} products", ours=True),
            contender("without", n, plain, "{products} products"),
        ],
    )


EXACT = {
    "exact_ridge": exact_ridge,
    "exact_ridge_duel": exact_ridge_duel,
    "exact_pca": exact_pca,
    "exact_fisher": exact_fisher,
    "checkpoint": checkpoint,
}
LOW_RANK = {
    "low_rank": low_rank,
    "stream_parzen": partial(streamed, learner="parzen"),
    "stream_novelty": partial(streamed, learner="novelty"),
}
STRUCTURED = {"strings": strings, "nodes": nodes}
