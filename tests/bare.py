"""The conformance suite on a gramian that was installed, where nothing else is: python tests/bare.py

`make package` runs it after installing the wheel, and again after installing the source archive. No pytest is needed.
"""

import warnings
from pathlib import Path

import gramian as gm
from kernels.cases import CASES


def main() -> None:
    where = Path(gm.__file__).parent
    if "site-packages" not in where.parts:
        raise SystemExit(f"gramian comes from {where}, and is not installed")
    for case in CASES:
        gm.testing.check_kernel(case.kernel, case.data)
        gm.testing.check_gram(case.kernel.gram(case.data))
    print(f"gramian {gm.__version__} of {where}: {len(CASES)} kernels and their Grams keep the contract")


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
