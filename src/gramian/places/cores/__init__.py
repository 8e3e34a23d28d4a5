"""The cores of this machine: tiles on all of them, through NumPy where work is small, compiled where it is large."""
