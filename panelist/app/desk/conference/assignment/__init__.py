"""A conference's assignment: solutions to compare, one that is chosen, changes by hand, and files to take away."""
