"""What `import panelist` offers, and where it lives: type checkers read this file, and so does Python."""

from eval.benchmarks.goldstandard.benchmark import GoldStandard as GoldStandard, Task as Task
from eval.benchmarks.goldstandard.models import score_draws as score_draws
from eval.benchmarks.goldstandard.tables import (
    loss_table as loss_table,
    summarise_all as summarise_all,
    triplet_table as triplet_table,
)
from eval.calibration.calibrator import ReviewCalibrator as ReviewCalibrator
from eval.calibration.report import paper_table as paper_table, pictures as pictures, reviewer_table as reviewer_table
from eval.calibration.summary import summarise as summarise
from eval.reports.assignment import assignment_pictures as assignment_pictures
from eval.reports.figures import (
    Line as Line,
    draw_exchange as draw_exchange,
    draw_intervals as draw_intervals,
    draw_lines as draw_lines,
)
from eval.reports.table import Column as Column, Table as Table
from eval.reviews.checks.check import check_reviews as check_reviews
from eval.reviews.checks.report import TaggedText as TaggedText
from eval.reviews.measures.bias import GroupedReview as GroupedReview, disparities as disparities
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
from panelist.records import (
    Author as Author,
    Authorship as Authorship,
    Conflict as Conflict,
    Institution as Institution,
    Match as Match,
    Panel as Panel,
    Paper as Paper,
    Review as Review,
    Submission as Submission,
)
from panelist.workspace import Workspace as Workspace
from retriever.affinity.model import affinity_model as affinity_model
from retriever.affinity.output import write_scores as write_scores
from retriever.aggregate import Aggregation as Aggregation
from retriever.assignment.assignment import Assignment as Assignment
from retriever.assignment.building.problem import make_problem as make_problem
from retriever.assignment.building.records import Records as Records, ScoreTable as ScoreTable
from retriever.assignment.explain.alternates import find_alternates as find_alternates
from retriever.assignment.explain.summary import summarise_assignment as summarise_assignment
from retriever.assignment.explain.why import explain_pair as explain_pair
from retriever.assignment.options import AssignOptions as AssignOptions
from retriever.assignment.output import write_assignment as write_assignment
from retriever.assignment.reading.problem import Sources as Sources, read_problem as read_problem
from retriever.assignment.repair import repair as repair
from retriever.assignment.solve import assign as assign
from retriever.conference.committee import Committee as Committee, read_profiles as read_profiles
from retriever.conference.conference import Conference as Conference
from retriever.conference.conflicts.rules import ConflictRules as ConflictRules
from retriever.conference.conflicts.table import ConflictTable as ConflictTable
from retriever.conference.options import ScoreOptions as ScoreOptions
from retriever.filters import Filters as Filters
from retriever.finder import Finder as Finder
from retriever.lookup import Lookup as Lookup
from retriever.search import Search as Search

__version__: str
