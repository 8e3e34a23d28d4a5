"""The place of Dask's collections: partitions that live on the workers of a cluster."""
