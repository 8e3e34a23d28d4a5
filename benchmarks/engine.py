"""What compiled formulas brought: the same jobs under the engine that went before, in turns, in the same run.

The former engine is the source of commit FORMER, unpacked from the repository's history into build/former and run with
the libraries of today.
"""

import io
import subprocess
import sys
import tarfile
from functools import partial
from pathlib import Path

from measure import HERE, QUIET
from record import Claim

ROOT = HERE.parent
FORMER = "97ad16b"
TURNS = 2
AVX2 = {  # a processor without AVX-512, for BLAS, NumPy and compiled passes; a name alone is not enough for these
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL",
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx,+avx2,+bmi,+bmi2,+cmov,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,+pclmul,"
    "+popcnt,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3,+xsave",
}


def former() -> Path:
    """Return the folder of the former source."""
    folder = ROOT / "build" / "former"
    if not (folder / "src").is_dir():
        packed = subprocess.run(["git", "archive", FORMER, "src"], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
    return folder / "src"


def seconds(source: Path, job: tuple[str, ...], processor: dict[str, str]) -> tuple[float, float]:
    """Return the least seconds of a job, and those of its first call, in a process of its own."""
    environment = QUIET | processor | {"PYTHONPATH": str(source)}
    command = [sys.executable, str(HERE / "former.py"), *job]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    least, first = map(float, done.stdout.split())
    return least, first


def against(what: str, wanted: float, *job: str, processor: dict[str, str] | None = None) -> Claim:
    """Measure a job under both engines, in turns."""
    turns, limits = 1 if job[0] in ("ridge", "fisher") else TURNS, processor or {}
    pairs = [(seconds(ROOT / "src", job, limits), seconds(former(), job, limits)) for _ in range(turns)]
    ours, theirs = (min(pair[side][0] for pair in pairs) for side in (0, 1))
    first = min(pair[0][1] for pair in pairs)
    note = f"first call {first:.2g} s: compiled passes are loaded" if first > 1.2 * ours + 0.05 else ""
    return Claim(what, "the former engine", ours, theirs, f"≥ {wanted} × faster", theirs / ours >= wanted, note)


def _jobs() -> dict[str, tuple[str, float, str]]:
    """Every claim: what it says, how many times as fast it wants to be, and the job."""
    product = "gram @ v, n = 50,000"
    return {
        "single": (f"{product}, d = 10, float32", 2.0, "product gaussian 50000 10 float32"),
        "double": (f"{product}, d = 10, float64", 1.6, "product gaussian 50000 10 float64"),
        "narrow": (f"{product}, d = 3, float32", 3.0, "product gaussian 50000 3 float32"),
        "narrow_double": (f"{product}, d = 3, float64", 3.0, "product gaussian 50000 3 float64"),
        "wide": (f"{product}, d = 50, float32", 1.6, "product gaussian 50000 50 float32"),
        "wide_double": (f"{product}, d = 50, float64", 1.6, "product gaussian 50000 50 float64"),
        "matern": (f"Matérn 3/2 {product}, d = 10, float32", 2.5, "product matern 50000 10 float32"),
        "sum": (f"a sum of two times a third, {product}, d = 10, float32", 3.0, "product sum 50000 10 float32"),
        "dense": ("Gaussian Gram, n = 10,000, d = 50, float32", 1.3, "dense 10000 50 float32"),
        "dense_double": ("Gaussian Gram, n = 10,000, d = 50, float64", 1.5, "dense 10000 50 float64"),
        "ridge": ("KernelRidge, exact, n = 100,000, d = 10, float64, ridge 0.01", 2.0, "ridge 100000"),
        "fisher": ("FisherDiscriminant, exact, n = 100,000, d = 10, ridge 1e-3", 2.0, "fisher 100000"),
        "pca": ("KernelPCA(10), exact, n = 50,000, d = 10, float64", 2.0, "pca 50000"),
    }


ENGINE = {
    f"engine_{name}": partial(against, what, wanted, *job.split()) for name, (what, wanted, job) in _jobs().items()
}
_NARROWER = {"single": 2.4, "double": 3.0}
ENGINE |= {
    f"engine_{name}_avx2": partial(against, f"{what}, AVX2 alone", wanted, *job.split(), processor=AVX2)
    for name, wanted in _NARROWER.items()
    for what, _, job in [_jobs()[name]]
}
