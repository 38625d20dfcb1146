"""`panelist reviews brief`: the sentences of a paper that matter, with their positions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from panelist.app.cli.options import JsonOption


def brief(
    paper: Annotated[Path, typer.Argument(help="The paper as PDF or as text in UTF-8.")],
    sentences: Annotated[int, typer.Option("--sentences", "-n", help="At most this many.", min=1)] = 30,
    by: Annotated[
        Literal["cross-entropy", "abstract", "introduction"],
        typer.Option(help="What is taken; abstract: the abstract and what the cross-entropy method chooses."),
    ] = "cross-entropy",
    seed: Annotated[int, typer.Option(help="Seed of the search.", min=0)] = 0,
    json: JsonOption = False,
) -> None:
    """Pick the sentences of a paper that matter for a review, by the cross-entropy method. Nothing is generated.

    **Examples**

        panelist reviews brief paper.pdf

        panelist reviews brief paper.txt --sentences 15 --json

        panelist reviews brief paper.pdf --by abstract
    """
    from dataclasses import asdict

    from eval.reviews.writing.brief import brief as make_brief
    from panelist.app.cli.output import print_json, say
    from panelist.app.cli.reviews.papers import read_paper
    from panelist.words import counted

    found = make_brief(read_paper(paper), sentences, seed, by)
    if json:
        print_json(asdict(found))
        return
    for number, sentence in zip(found.numbers, found.sentences, strict=True):
        say(f"{number + 1:>4}  {sentence.text}")
    chosen = counted(len(found.sentences), "sentence")
    say(f"{chosen} of {found.read} that were read; {found.candidates} came into question")
