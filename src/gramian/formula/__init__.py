"""What a kernel is: an expression in what belongs to objects (`encoded`) and to pairs of them (`expression`)."""
