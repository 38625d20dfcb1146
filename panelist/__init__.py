"""Panelist finds the people who can review a paper.

This is the front door: everything a user needs is importable from here, and nothing is loaded before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_EXPORTS = {
    "Aggregation": "retriever.aggregate",
    "Author": "panelist.records",
    "Authorship": "panelist.records",
    "Conflict": "panelist.records",
    "ConflictRules": "retriever.conflicts",
    "CorpusStore": "panelist.corpus.store",
    "Filters": "retriever.filters",
    "Finder": "retriever.finder",
    "Institution": "panelist.records",
    "Lookup": "retriever.lookup",
    "Match": "panelist.records",
    "Panel": "panelist.records",
    "PanelistError": "panelist.errors",
    "Paper": "panelist.records",
    "Review": "panelist.records",
    "ReviewCalibrator": "eval.calibration.calibrator",
    "Search": "retriever.search",
    "Submission": "panelist.records",
    "Workspace": "panelist.workspace",
}

__version__ = "0.1.0"
__all__ = [
    *_EXPORTS,
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'panelist' has no attribute {name!r}")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
