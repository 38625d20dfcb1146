"""`panelist reviews brief` and `draft`: the sentences of a paper that matter, and notes by a language model on them."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import agree, console, print_json, say
from panelist.app.cli.reviews.options import ModelOption, YesOption, open_client
from panelist.errors import InputError
from panelist.words import counted

PaperArgument = Annotated[Path, typer.Argument(help="The paper as PDF or as text in UTF-8.")]


def brief(
    paper: PaperArgument,
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
    from eval.reviews.writing.brief import brief as make_brief

    found = make_brief(_text_of(paper), sentences, seed, by)
    if json:
        print_json(asdict(found))
        return
    for number, sentence in zip(found.numbers, found.sentences, strict=True):
        say(f"{number + 1:>4}  {sentence.text}")
    chosen = counted(len(found.sentences), "sentence")
    say(f"{chosen} of {found.read} that were read; {found.candidates} came into question")


def draft(
    paper: PaperArgument,
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
    from eval.reviews.tagging.typology import ADVISOR_NAMES
    from eval.reviews.writing.brief import brief as make_brief
    from eval.reviews.writing.endpoint import draft as ask_for_draft
    from eval.reviews.writing.endpoint import draft_question, estimate

    aspects = aspect or list(ADVISOR_NAMES.values())
    unknown = [name for name in aspects if name not in ADVISOR_NAMES.values()]
    if unknown:
        raise InputError(f"unknown aspect '{unknown[0]}': give some of {', '.join(ADVISOR_NAMES.values())}")
    chosen = make_brief(_text_of(paper), seed=seed).sentences
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


def _text_of(path: Path) -> str:
    """The whole text of a PDF file, read by a process with little time and memory, or of plain text.

    Raises:
        InputError: it is not there, or neither PDF nor text.
        MissingDependencyError: it is a PDF file, and pypdfium2 is not installed.
    """
    from panelist.app.confined.pdf import full_text, is_pdf

    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror or error}") from error
    if is_pdf(content):
        text = full_text(content)
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"'{path}' is neither a PDF file nor text in UTF-8: {error}") from error
    if not text.strip():
        raise InputError(f"'{path}' holds no text: a scanned PDF file must be recognised first")
    return text
