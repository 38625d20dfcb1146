"""The methods: each makes an assignment of a problem that is known to have one. A new one is a file, named here."""

from retriever.assignment.methods import total, fair, leximin, envy, capped, perturbed  # noqa: F401, I001  # as listed
from retriever.assignment.methods.registry import METHODS as METHODS
