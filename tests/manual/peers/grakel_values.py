"""What GraKeL says of the rows of docs/migrate/grakel.md: python grakel_values.py > grakel.txt"""

import warnings

warnings.simplefilter("ignore")

import grakel  # noqa: E402 - it warns while it is imported
from grakel import kernels  # noqa: E402
from saying import say  # noqa: E402

CHAINS = (["C", "C", "O"], ["C", "O", "O"], ["C", "C", "C", "N"], ["N", "C", "O", "C", "C"])


def chain(atoms):
    """Atoms in a row, each bound to the next; an edge is labelled by its two ends."""
    bonds = [(i, i + 1) for i in range(len(atoms) - 1)]
    both = {edge: "".join(sorted(atoms[i] for i in edge)) for i, j in bonds for edge in ((i, j), (j, i))}
    return grakel.Graph(dict.fromkeys(both, 1), node_labels=dict(enumerate(atoms)), edge_labels=both)


GRAPHS = [chain(atoms) for atoms in CHAINS]
KERNELS = {
    "VertexHistogram": kernels.VertexHistogram(),
    "VertexHistogram, normalize": kernels.VertexHistogram(normalize=True),
    "EdgeHistogram": kernels.EdgeHistogram(),
    "ShortestPath": kernels.ShortestPath(),
    "WeisfeilerLehman": kernels.WeisfeilerLehman(n_iter=1),
}

print("version", grakel.__version__, sep="\t")
for name, kernel in KERNELS.items():
    say(name, kernel.fit_transform(GRAPHS))
