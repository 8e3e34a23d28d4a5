"""Tensors where they are: on a GPU in one compiled pass through Triton, and on any device through torch's operations."""
