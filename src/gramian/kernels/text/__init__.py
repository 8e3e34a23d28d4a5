"""Kernels on documents."""
