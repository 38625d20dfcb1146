"""`panelist reviews draft`: notes by a language model, each tied to a sentence of the paper. Opt-in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.reviews.options import ModelOption, YesOption, open_client
from panelist.words import counted


def draft(
    paper: Annotated[Path, typer.Argument(help="The paper as PDF or as text in UTF-8.")],
    endpoint: Annotated[str, typer.Option(help="OpenAI-compatible address before /chat/completions.")],
    aspect: Annotated[
        list[str] | None,
        typer.Option(help="Aspects to write about: summary, motivation, originality, … (may be repeated)."),
    ] = None,
    model: ModelOption = "gpt-4o-mini",
    seed: Annotated[int, typer.Option(help="Seed of the choice of sentences.", min=0)] = 0,
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Have a language model draft notes on a paper, by aspects. Its authors' own verdict on such drafts: not yet.

    **Before you use this**: ACL Rolling Review, ICML, ISCA, NeurIPS, the NIH and many journals forbid reviewers to
    upload a submission to a language model or to have one write their review. Read your venue's rules first. Every
    sentence must rest on a sentence of the paper, which is shown; sentences without one are dropped. The draft is
    marked as machine-made. The chosen sentences of the paper leave this machine.

    **Examples**

        panelist reviews draft mine.pdf --endpoint http://localhost:8000/v1 --model llama --aspect clarity
    """
    from dataclasses import asdict

    from eval.reviews.tagging.typology import ADVISOR_NAMES
    from eval.reviews.writing.brief import brief
    from eval.reviews.writing.endpoint import draft as ask_for_draft
    from eval.reviews.writing.endpoint import draft_question, estimate
    from panelist.app.cli.output import agree, console, print_json, say
    from panelist.app.cli.reviews.papers import read_paper
    from panelist.errors import InputError

    aspects = aspect or list(ADVISOR_NAMES.values())
    unknown = [name for name in aspects if name not in ADVISOR_NAMES.values()]
    if unknown:
        raise InputError(f"unknown aspect '{unknown[0]}': give some of {', '.join(ADVISOR_NAMES.values())}")
    chosen = brief(read_paper(paper), seed=seed).sentences
    if not chosen:
        raise InputError(f"no sentence of '{paper}' can be drafted from: it has no text, or none of the keywords")
    agree(estimate([draft_question(chosen, aspects)], model, endpoint), yes)
    with open_client(endpoint, model) as client:
        found = ask_for_draft(chosen, aspects, client)
    if json:
        print_json(asdict(found))
        return
    console().print(found.notice, style="bold")
    for each in found.sentences:
        say(f"[{each.aspect}, {each.polarity}] {each.text}")
        say(f"    rests on: {each.source_text}")
    say(counted(found.dropped, "sentence without a source was dropped", "sentences without a source were dropped"))
