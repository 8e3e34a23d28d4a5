"""What κ is: the `Kernel` protocol, its algebra, and the kernels on vectors."""
