"""How large everything is: the sizes of the claims, and small ones to try the programs out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    ridge: int = 100_000  # exact, alone
    duel: int = 20_000  # exact, against all peers
    pca: int = 50_000
    pca_duel: int = 10_000
    fisher: int = 100_000
    low_rank: int = 1_000_000
    rank: int = 1000
    stream: int = 1_000_000  # in low rank
    stream_exact: int = 1_000_000  # the Parzen classifier, which reads the file as the novelty detector does
    novelty_exact: int = 300_000
    stream_check: int = 50_000  # where it is compared with the answer from an array
    centroid: int = 250_000
    strings: int = 100_000
    nodes: int = 100_000
    checkpoint: int = 30_000
    report: int = 50_000
    report_many: int = 1_000_000
    reading: int = 1_000_000
    limit: int = 300  # seconds after which a peer is stopped
    sweep: float = 1.0  # all sizes of the sweep are multiplied by this
    growth: float = 1.0  # all sizes of the growth curves are multiplied by this


SMALL = Sizes(
    ridge=12_000,
    duel=3_200,
    pca=17_000,
    pca_duel=3_200,
    fisher=12_000,
    low_rank=40_000,
    rank=200,
    stream=40_000,
    stream_exact=20_000,
    novelty_exact=20_000,
    stream_check=5_000,
    centroid=20_000,
    strings=4_000,
    nodes=4_000,
    checkpoint=12_000,
    report=3_000,
    report_many=20_000,
    reading=100_000,
    limit=20,
    sweep=0.1,
    growth=0.1,
)
