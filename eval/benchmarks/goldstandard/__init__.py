"""Stated expertise: the gold standard of Stelmakh et al."""
