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
    "Column": "eval.reports.table",
    "Conflict": "panelist.records",
    "ConflictRules": "retriever.conflicts",
    "CorpusStore": "panelist.corpus.store",
    "Filters": "retriever.filters",
    "Finder": "retriever.finder",
    "GoldStandard": "eval.benchmarks.goldstandard.benchmark",
    "GoldStandardTask": "eval.benchmarks.goldstandard.benchmark:Task",
    "Institution": "panelist.records",
    "Line": "eval.reports.figures",
    "Lookup": "retriever.lookup",
    "Match": "panelist.records",
    "Panel": "panelist.records",
    "PanelistError": "panelist.errors",
    "Paper": "panelist.records",
    "Review": "panelist.records",
    "ReviewCalibrator": "eval.calibration.calibrator",
    "Search": "retriever.search",
    "Submission": "panelist.records",
    "Table": "eval.reports.table",
    "Workspace": "panelist.workspace",
    "affinity_model": "retriever.affinity.model",
    "calibration_pictures": "eval.calibration.report:pictures",
    "calibration_summary": "eval.calibration.summary:summarise",
    "data_dir": "panelist.config",
    "demo": "panelist.app.demo:",
    "demo_workspace": "panelist.app.demo.workspace",
    "draw_exchange": "eval.reports.figures",
    "draw_intervals": "eval.reports.figures",
    "draw_lines": "eval.reports.figures",
    "gold_standard_losses": "eval.benchmarks.goldstandard.tables:summarise_all",
    "loss_table": "eval.benchmarks.goldstandard.tables",
    "own_conflicts": "retriever.affinity.conflicts:own_and_declared_conflicts",
    "paper_table": "eval.calibration.report",
    "read_committee": "retriever.affinity.reviewers:read_profiles",
    "read_submissions": "panelist.corpus.readers.submissions",
    "reviewer_table": "eval.calibration.report",
    "score_conference": "retriever.affinity.conference",
    "score_gold_standard": "eval.benchmarks.goldstandard.models:score_draws",
    "triplet_table": "eval.benchmarks.goldstandard.tables",
    "write_scores": "retriever.affinity.output",
}

__version__ = "0.1.0"
__all__ = [
    *_EXPORTS,
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'panelist' has no attribute {name!r}")
    module, colon, attribute = _EXPORTS[name].partition(":")
    loaded = import_module(module)
    return loaded if colon and not attribute else getattr(loaded, attribute or name)


def __dir__() -> list[str]:
    return sorted(__all__)
