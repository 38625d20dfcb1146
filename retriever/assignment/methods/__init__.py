"""The methods: each makes an assignment of a problem that is known to have one. A new one is named here."""

from retriever.assignment.methods import certain, capped, perturbed  # noqa: F401, I001  # as listed
from retriever.assignment.methods.registry import METHODS as METHODS
