"""`panelist eval`: measure runs and models."""

from panelist.app.cli.eval import (
    coverage,
    elife,
    elife_affinity,
    exharmony,
    goldstandard,
    instruments,
    leaderboard,
    manipulation,
    reproduce,
    trec,
)
from panelist.app.cli.options import group

app = group(
    "Measure: runs against judgements, models on benchmarks.",
    trec.trec,
    goldstandard.goldstandard,
    elife.elife,
    elife_affinity.elife_affinity,
    coverage.coverage,
    leaderboard.leaderboard,
    trec.qrels,
    instruments.reviews,
    instruments.conflicts,
    instruments.committee,
    manipulation.manipulation,
    manipulation.collusion,
    reproduce.reproduce,
)
app.add_typer(exharmony.app, name="exharmony")
