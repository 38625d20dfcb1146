"""`panelist train`: models that learn from papers."""

import typer

from panelist.app.cli.train import acl, biencoder, ranker, reviews

app = typer.Typer(help="Train models on papers.", no_args_is_help=True)
app.command()(acl.acl)
app.command()(biencoder.biencoder)
app.command()(reviews.reviews)
app.command()(ranker.ranker)
