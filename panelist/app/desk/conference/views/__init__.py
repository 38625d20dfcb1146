"""A conference as pages show it: lists in slices, one paper, one person, scores, solutions as lists and files."""
