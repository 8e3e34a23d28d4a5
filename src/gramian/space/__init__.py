"""Where the points are: vectors of the feature space that can be named, combined and measured, subspaces, kernel
maps.
"""
