"""Compiled kernels of the assignment: flows, chains of swaps, rounding, dual ascent."""
