"""`panelist eval reviews`: what the instruments of `panelist reviews` are worth on public reviews."""

from typing import Annotated

import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import console, print_json
from panelist.app.cli.reviews.options import ReviewDataOption
from panelist.config import data_dir
from panelist.errors import InputError


def reviews(
    studies: Annotated[
        list[str] | None,
        typer.Argument(help="Of bias, papers, reuse, scores, brief [default: all].", show_default=False),
    ] = None,
    folder: ReviewDataOption = None,
    json: JsonOption = False,
) -> None:
    """Measure on public reviews: bias on gold labels, wrong papers, reused text, text against scores, briefs.

    The taggers are measured where they are trained: `panelist train reviews`.

    **Examples**

        panelist eval reviews bias

        panelist eval reviews --json
    """
    from eval.reviews import benchmark

    source = folder or data_dir() / "reviews"
    known = {
        "bias": benchmark.bias_study,
        "papers": benchmark.wrong_paper_study,
        "reuse": benchmark.reuse_study,
        "scores": benchmark.score_study,
        "brief": benchmark.brief_study,
    }
    unknown = [name for name in studies or () if name not in known]
    if unknown:
        raise InputError(f"unknown study '{unknown[0]}': give some of {', '.join(known)}")
    found = {name: study(source) for name, study in known.items() if not studies or name in studies}
    if json:
        print_json(found)
        return
    from rich.pretty import Pretty

    screen = console()
    for name, figures in found.items():
        screen.print(name, style="bold")
        screen.print(Pretty(figures, expand_all=True, max_depth=4))
