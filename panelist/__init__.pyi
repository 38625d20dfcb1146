"""What `import panelist` offers, and where it lives: type checkers read this file, and so does Python."""

from eval.benchmarks.goldstandard.benchmark import GoldStandard as GoldStandard
from eval.calibration.calibrator import ReviewCalibrator as ReviewCalibrator
from eval.checking import check_reviews as check_reviews
from eval.reviews.tagging.tagger import Tagger as Tagger
from indexing.encoders.sentence import encoder_of as encoder_of
from panelist.app.demo.workspace import demo_workspace as demo_workspace
from panelist.app.library import build_index as build_index, import_papers as import_papers, measure_run as measure_run
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
from retriever.assignment.options import AssignOptions as AssignOptions
from retriever.assignment.output import write_assignment as write_assignment
from retriever.assignment.reading.problem import Sources as Sources, read_problem as read_problem
from retriever.assignment.solve import assign as assign, repair as repair
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
