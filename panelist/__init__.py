"""Panelist finds the people who can review a paper.

This is the front door: everything a user needs is importable from here, typed, under its own name, and nothing is
loaded before it is used. Type checkers read the imports, Python reads the table; a test checks that they agree.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eval.benchmarks.goldstandard.benchmark import GoldStandard as GoldStandard
    from eval.benchmarks.goldstandard.benchmark import Task as Task
    from eval.benchmarks.goldstandard.models import score_draws as score_draws
    from eval.benchmarks.goldstandard.tables import loss_table as loss_table
    from eval.benchmarks.goldstandard.tables import summarise_all as summarise_all
    from eval.benchmarks.goldstandard.tables import triplet_table as triplet_table
    from eval.calibration.calibrator import ReviewCalibrator as ReviewCalibrator
    from eval.calibration.report import paper_table as paper_table
    from eval.calibration.report import pictures as pictures
    from eval.calibration.report import reviewer_table as reviewer_table
    from eval.calibration.summary import summarise as summarise
    from eval.reports.assignment import assignment_pictures as assignment_pictures
    from eval.reports.figures import Line as Line
    from eval.reports.figures import draw_exchange as draw_exchange
    from eval.reports.figures import draw_intervals as draw_intervals
    from eval.reports.figures import draw_lines as draw_lines
    from eval.reports.table import Column as Column
    from eval.reports.table import Table as Table
    from eval.reviews.checks.check import check_reviews as check_reviews
    from eval.reviews.checks.report import TaggedText as TaggedText
    from eval.reviews.measures.bias import GroupedReview as GroupedReview
    from eval.reviews.measures.bias import disparities as disparities
    from eval.reviews.reading.files import read_review_file as read_review_file
    from eval.reviews.tagging.tagger import Tagger as Tagger
    from eval.reviews.writing.brief import brief as brief
    from eval.reviews.writing.feedback import questions as questions
    from panelist.app import demo as demo
    from panelist.app.demo.workspace import demo_workspace as demo_workspace
    from panelist.config import data_dir as data_dir
    from panelist.corpus.readers.submissions import read_submissions as read_submissions
    from panelist.corpus.store import CorpusStore as CorpusStore
    from panelist.errors import PanelistError as PanelistError
    from panelist.records import Author as Author
    from panelist.records import Authorship as Authorship
    from panelist.records import Conflict as Conflict
    from panelist.records import Institution as Institution
    from panelist.records import Match as Match
    from panelist.records import Panel as Panel
    from panelist.records import Paper as Paper
    from panelist.records import Review as Review
    from panelist.records import Submission as Submission
    from panelist.workspace import Workspace as Workspace
    from retriever.affinity.conference import score_conference as score_conference
    from retriever.affinity.conflicts import find_conflicts as find_conflicts
    from retriever.affinity.model import affinity_model as affinity_model
    from retriever.affinity.output import write_scores as write_scores
    from retriever.affinity.reviewers import read_profiles as read_profiles
    from retriever.aggregate import Aggregation as Aggregation
    from retriever.assignment.assignment import Assignment as Assignment
    from retriever.assignment.assignment import Options as Options
    from retriever.assignment.explain.alternates import find_alternates as find_alternates
    from retriever.assignment.explain.summary import summarise_assignment as summarise_assignment
    from retriever.assignment.explain.why import explain_pair as explain_pair
    from retriever.assignment.output import write_assignment as write_assignment
    from retriever.assignment.reading.problem import Sources as Sources
    from retriever.assignment.reading.problem import read_problem as read_problem
    from retriever.assignment.rules import Rules as Rules
    from retriever.assignment.solve import assign as assign
    from retriever.conflicts.rules import ConflictRules as ConflictRules
    from retriever.filters import Filters as Filters
    from retriever.finder import Finder as Finder
    from retriever.lookup import Lookup as Lookup
    from retriever.search import Search as Search

# Manuscripts are confidential. Libraries that report how they are used (ONNX Runtime, the Hugging Face hub) are told
# not to, before any of them is imported; processes that we start inherit it.
for _switch in ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
    os.environ[_switch] = "1"

_MODULES = {
    "Aggregation": "retriever.aggregate",
    "Assignment": "retriever.assignment.assignment",
    "Author": "panelist.records",
    "Authorship": "panelist.records",
    "Column": "eval.reports.table",
    "Conflict": "panelist.records",
    "ConflictRules": "retriever.conflicts.rules",
    "CorpusStore": "panelist.corpus.store",
    "Filters": "retriever.filters",
    "Finder": "retriever.finder",
    "GoldStandard": "eval.benchmarks.goldstandard.benchmark",
    "GroupedReview": "eval.reviews.measures.bias",
    "Institution": "panelist.records",
    "Line": "eval.reports.figures",
    "Lookup": "retriever.lookup",
    "Match": "panelist.records",
    "Options": "retriever.assignment.assignment",
    "Panel": "panelist.records",
    "PanelistError": "panelist.errors",
    "Paper": "panelist.records",
    "Review": "panelist.records",
    "ReviewCalibrator": "eval.calibration.calibrator",
    "Rules": "retriever.assignment.rules",
    "Search": "retriever.search",
    "Sources": "retriever.assignment.reading.problem",
    "Submission": "panelist.records",
    "Table": "eval.reports.table",
    "TaggedText": "eval.reviews.checks.report",
    "Tagger": "eval.reviews.tagging.tagger",
    "Task": "eval.benchmarks.goldstandard.benchmark",
    "Workspace": "panelist.workspace",
    "affinity_model": "retriever.affinity.model",
    "brief": "eval.reviews.writing.brief",
    "check_reviews": "eval.reviews.checks.check",
    "assign": "retriever.assignment.solve",
    "assignment_pictures": "eval.reports.assignment",
    "data_dir": "panelist.config",
    "demo": "panelist.app",
    "demo_workspace": "panelist.app.demo.workspace",
    "disparities": "eval.reviews.measures.bias",
    "draw_exchange": "eval.reports.figures",
    "draw_intervals": "eval.reports.figures",
    "draw_lines": "eval.reports.figures",
    "explain_pair": "retriever.assignment.explain.why",
    "find_alternates": "retriever.assignment.explain.alternates",
    "find_conflicts": "retriever.affinity.conflicts",
    "loss_table": "eval.benchmarks.goldstandard.tables",
    "paper_table": "eval.calibration.report",
    "pictures": "eval.calibration.report",
    "questions": "eval.reviews.writing.feedback",
    "read_problem": "retriever.assignment.reading.problem",
    "read_profiles": "retriever.affinity.reviewers",
    "read_review_file": "eval.reviews.reading.files",
    "read_submissions": "panelist.corpus.readers.submissions",
    "reviewer_table": "eval.calibration.report",
    "score_conference": "retriever.affinity.conference",
    "score_draws": "eval.benchmarks.goldstandard.models",
    "summarise": "eval.calibration.summary",
    "summarise_all": "eval.benchmarks.goldstandard.tables",
    "summarise_assignment": "retriever.assignment.explain.summary",
    "triplet_table": "eval.benchmarks.goldstandard.tables",
    "write_assignment": "retriever.assignment.output",
    "write_scores": "retriever.affinity.output",
}

__version__ = "0.1.0"
__all__ = [*_MODULES, "__version__"]

if not TYPE_CHECKING:  # so that a name which is not there is an error of types, too

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in _MODULES:
            raise AttributeError(f"module 'panelist' has no attribute {name!r}")
        module = import_module(_MODULES[name])
        # A package such as `demo` is there only once it is imported itself.
        return getattr(module, name, None) or import_module(f"{module.__name__}.{name}")

    def __dir__() -> list[str]:
        return sorted(__all__)
