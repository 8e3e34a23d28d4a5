"""What can be learnt: the pattern-analysis algorithms as scikit-learn estimators, on any object a kernel accepts."""
