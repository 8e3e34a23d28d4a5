"""The sections of a report, one module each: what came in, the kernel, the geometry, …, predictions."""
