"""Kernels on sequences: strings, bytes, and sequences of any hashable tokens."""
