"""`panelist eval`: measure runs and models."""

from panelist.app.cli.eval import exharmony, instruments, manipulation, reproduce, trec
from panelist.app.cli.eval.elife import elife
from panelist.app.cli.eval.elife_affinity import elife_affinity
from panelist.app.cli.eval.goldstandard import goldstandard
from panelist.app.cli.eval.leaderboard import leaderboard
from panelist.app.cli.options import group

_MODELS = (trec.trec, goldstandard, elife, elife_affinity, instruments.coverage, leaderboard, trec.qrels)
_TRUST = (instruments.reviews, instruments.conflicts, instruments.committee)
_ATTACKS = (manipulation.manipulation, manipulation.collusion)
_ABOUT = "Measure: runs against judgements, models on benchmarks."
app = group(_ABOUT, *_MODELS, *_TRUST, *_ATTACKS, reproduce.reproduce)
app.add_typer(exharmony.app, name="exharmony")
