"""What K is made of: Cholesky factors complete and incomplete, eigenpairs, and the certificate that K ⪰ 0."""
