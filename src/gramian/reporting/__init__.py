"""The report: what a data set looks like in feature space, as one page that opens anywhere."""
