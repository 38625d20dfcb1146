"""The greatest total: what the cheapest flow carries."""

from __future__ import annotations

from retriever.assignment.flow import Flow
from retriever.assignment.methods.registry import RULES, Chosen, method
from retriever.assignment.problem import Problem


@method("total", takes=(*RULES, "exact", "prefer_old"), keeps=True)
def total(problem: Problem, flow: Flow) -> Chosen:
    """The candidates of the greatest total, which `flow` is."""
    return Chosen(flow.amount > 0)
