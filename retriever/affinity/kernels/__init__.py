"""Compiled kernels of affinity, one file per stage and of the same name."""
