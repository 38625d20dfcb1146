"""`panelist reviews`: what the reviews say, what they leave out, and whether they are fair."""

import typer

from panelist.app.cli.reviews import bias, check, compare, feedback, papers

app = typer.Typer(help="Read reviews: aspects, omissions, disagreement, bias, and feedback.", no_args_is_help=True)
app.command()(check.check)
app.command()(bias.bias)
app.command()(compare.compare)
app.command()(papers.brief)
app.command()(feedback.feedback)
app.command()(papers.draft)
