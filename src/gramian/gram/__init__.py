"""How K is held, multiplied and summed: encodings, tiles, threads, and the `Gram` operator over them.

This layer knows a kernel only by the three methods it calls (`protocol.Similarity`), so it stands below `kernels/`.
"""
