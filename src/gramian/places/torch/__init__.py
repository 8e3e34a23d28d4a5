"""Tensors where they are: on a GPU one compiled pass through Triton, on any device the operations of torch."""
