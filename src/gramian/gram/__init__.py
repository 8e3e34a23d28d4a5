"""What K is: the `Gram` operator over encoded objects.

This layer knows a kernel only by the methods it calls (`protocol.Similarity`), so it stands below `kernels/`.
"""
