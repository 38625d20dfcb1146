"""`panelist eval`: measure runs and models."""

import typer

from panelist.app.cli.eval import (
    conflicts,
    elife,
    elife_affinity,
    exharmony,
    goldstandard,
    leaderboard,
    qrels,
    reproduce,
    reviews,
    trec,
)

app = typer.Typer(help="Measure: runs against judgements, models on benchmarks.", no_args_is_help=True)
app.command()(trec.trec)
app.command()(goldstandard.goldstandard)
app.command()(elife.elife)
app.command("elife-affinity")(elife_affinity.elife_affinity)
app.command()(leaderboard.leaderboard)
app.command()(qrels.qrels)
app.add_typer(exharmony.app, name="exharmony")
app.command()(reviews.reviews)
app.command()(conflicts.conflicts)
app.command()(reproduce.reproduce)
