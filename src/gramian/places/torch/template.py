"""The one Triton template into which the formula of a kernel is put, and the pieces it is made of.

Three passes come of it: `product` (K v), `products` (K V for several columns) and `fill` (K itself). Each program takes
BM rows and goes over columns of K, BN at a time; no tile is written to memory unless that was asked for.

    product     the sum over columns is kept for each column of the tile apart, and added up in double precision
    products    in double precision the tile is multiplied with V by the tensor cores as it is. In single it is split
                into two half-precision parts, scaled row by row; its product with V, split alike, is taken by the
                tensor cores from zero on, smallest terms first, and added in float32.
    fill        of a symmetric K only tiles on and above the diagonal are computed, and written twice
"""

HEAD = '''"""Passes over K, written by gramian.places.torch.source."""
import triton
import triton.language as tl


@triton.jit
def exp2_single(x):
    """A power of two."""
    return {exp2_single}


@triton.jit
def exp2_shared(x):
    """A power of two, some of them on the arithmetic units; x is below 128."""
    return {exp2_shared}


@triton.jit
def exp2_single_of_minus(x):
    """A power of two; instructions take the minus for nothing."""
    return {exp2_single_of_minus}


@triton.jit
def exp2_shared_of_minus(x):
    """A power of two, some of them on the arithmetic units; −x is below 128."""
    return {exp2_shared_of_minus}


@triton.jit
def exp2_double(x):
    """A power of two in double precision: adding 1.5 · 2⁵² leaves the whole part in the last bits of the sum."""
    sum = x + 6755399441055744.0
    rest = x - (sum - 6755399441055744.0)
    power = rest * 0.0 + {last_double}
{horner_double}
    bits = power.to(tl.int64, bitcast=True) + (sum.to(tl.int64, bitcast=True) << 52) - (1 << 52)
    power = bits.to(tl.float64, bitcast=True) * 2.0  # half of it has a place where the largest numbers are near
    return tl.where(x < 1024.5, tl.where(x > -1021.0, power, 0.0), float("inf"))


@triton.jit
def root_single(x):
    """A square root."""
    return {root_single}


@triton.jit
def root_of_size(x):
    """A square root of |x|."""
    return {root_of_size}


@triton.jit
def root_double(x):
    """A square root in double precision."""
    return tl.sqrt(x)


@triton.jit
def expm1(x, power):
    """An exponential less 1; `power` is the exponential."""
    near = x * 0.0 + {last_expm1}
{horner_expm1}
    return tl.where(tl.abs(x) < 0.5, near * x, power - 1.0)
'''

PRODUCT = """

@triton.jit
def product({arguments}, V, O, n, m, span, CHUNK: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    il = i.to(tl.int64)
    jn = tl.arange(0, BN)
    first = tl.program_id(1) * span
    left = tl.minimum(span, m - first)
    at = first.to(tl.int64)
{rows}
{bases}
    v_at = V + at
    total = tl.zeros((BM,), tl.float64)
    for start in range(0, left, CHUNK):
        acc = tl.zeros((BM, BN), {dtype})
        for s in range(0, tl.minimum(CHUNK, left - start), BN):
            v = tl.load(v_at + (s + jn))
{columns}
{lines}
            acc += {value} * v[None, :]
        total += tl.sum(acc, 1).to(tl.float64)
        v_at += CHUNK
{steps}
    tl.store(O + tl.program_id(1).to(tl.int64) * n + il, total)
"""

PRODUCTS = """

@triton.jit
def products(
    {arguments}, VH, VL, O, n, m, span,
    CHUNK, CC: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    il = i.to(tl.int64)
    jn = tl.arange(0, BN)
    cn = tl.arange(0, CC)
    first = tl.program_id(1) * span
    left = tl.minimum(span, m - first)
    at = first.to(tl.int64)
{rows}
{bases}
    vh_at = VH + at * CC
    vl_at = VL + at * CC
    total = tl.zeros((BM, CC), tl.float32)
    for start in range(0, left, CHUNK):
        acc = tl.zeros((BM, CC), tl.float32)
        for s in range(0, tl.minimum(CHUNK, left - start), BN):
            vh = tl.load(vh_at + (s + jn)[:, None] * CC + cn[None, :])
            vl = tl.load(vl_at + (s + jn)[:, None] * CC + cn[None, :])
{columns}
{lines}
            kappa = {value}
{scaled}
            first_digits = (kappa.to(tl.int32, bitcast=True) & -8192).to(tl.float32, bitcast=True)
            high = first_digits.to(tl.float16)
            low = (kappa - first_digits).to(tl.float16)
            tile = tl.dot(low, vh)
            tile = tl.dot(high, vl, tile)
            tile = tl.dot(high, vh, tile)
            acc += {unscaled}
        total += acc
        vh_at += CHUNK * CC
        vl_at += CHUNK * CC
{steps}
    place = tl.program_id(1).to(tl.int64) * n + il
    tl.store(O + place[:, None] * CC + cn[None, :], total)
"""

PRODUCTS_IN_DOUBLE = """

@triton.jit
def products(
    {arguments}, V, O, n, m, span,
    CHUNK, CC: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    il = i.to(tl.int64)
    jn = tl.arange(0, BN)
    cn = tl.arange(0, CC)
    first = tl.program_id(1) * span
    left = tl.minimum(span, m - first)
    at = first.to(tl.int64)
{rows}
{bases}
    v_at = V + at * CC
    total = tl.zeros((BM, CC), tl.float64)
    for start in range(0, left, CHUNK):
        for s in range(0, tl.minimum(CHUNK, left - start), BN):
            v = tl.load(v_at + (s + jn)[:, None] * CC + cn[None, :])
{columns}
{lines}
            kappa = {value} + tl.zeros((BM, BN), tl.float64)
            total = tl.dot(kappa, v, total, out_dtype=tl.float64)
        v_at += CHUNK * CC
{steps}
    place = tl.program_id(1).to(tl.int64) * n + il
    tl.store(O + place[:, None] * CC + cn[None, :], total)
"""

# Both parts of a value miss 2⁻²² of it, and so do those of V; of their product only low · low is left out, 2⁻²² again.
# That makes 7e-7 of Σ|terms| at most, and in the mean of many terms far less.
# Values of a row add up to 2^14 to 2^15, so that both parts of all that counts have their digits. (The largest would do
# as well; but it is sought on units that have more to do.)
SCALED = """\
exponent = tl.sum(tl.abs(kappa), 1).to(tl.int32, bitcast=True) & 0x7F800000
exponent = tl.minimum(tl.maximum(exponent, 20 << 23), 254 << 23)
kappa = kappa * (((254 << 23) - exponent) + (14 << 23)).to(tl.float32, bitcast=True)[:, None]"""
UNSCALED = "tile * (exponent - (14 << 23)).to(tl.float32, bitcast=True)[:, None]"

FILL = """

@triton.jit
def fill({arguments}, O, n, m, apart, SYMMETRIC: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    if SYMMETRIC and tl.program_id(1) > tl.program_id(0):
        return
    i = tl.program_id(1) * BM + tl.arange(0, BM)
    il = i.to(tl.int64)
    jn = tl.arange(0, BN)
    first = tl.program_id(0) * BN
    at = first.to(tl.int64)
    s = 0
{rows}
{bases}
{columns}
{lines}
    tile = {value} + tl.zeros((BM, BN), {dtype})
    j = first + jn
    jl = at + jn
    inside = (i < n)[:, None] & (j < m)[None, :]
    if SYMMETRIC:
        if tl.program_id(0) == tl.program_id(1):
            tile = tl.where(i[:, None] <= j[None, :], tile, tl.trans(tile))
        else:
            mirrored = (j < m)[:, None] & (i < n)[None, :]
            tl.store(O + jl[:, None] * apart + il[None, :], tl.trans(tile), mask=mirrored)
    tl.store(O + il[:, None] * apart + jl[None, :], tile, mask=inside)
"""

# 2^x on the arithmetic units: adding 1.5 · 2²³ rounds x to a whole number in the last bits of the sum, which become the
# exponent; the rest lies in [−½, ½], where a polynomial of the fifth degree is good to 1e-7.
FIFTH = (1.0, 0.6931469775984713, 0.2402224208491852, 0.055507337442437965, 0.009671512660597816, 0.0013264726899251782)
