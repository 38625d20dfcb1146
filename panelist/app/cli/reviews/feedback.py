"""`panelist reviews feedback`: questions to reviewers about their own texts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import agree, print_json, say, show_progress
from panelist.app.cli.reviews.options import (
    EndpointOption,
    FastOption,
    ModelOption,
    ReviewsArgument,
    TaggerOption,
    YesOption,
    open_client,
)
from panelist.config import llm_url
from panelist.errors import InputError
from panelist.files import check_files, write_whole
from panelist.keyed_file import key_of
from panelist.words import counted

if TYPE_CHECKING:
    from eval.reviews.reading.files import ReviewFile


def feedback(
    reviews: ReviewsArgument,
    tagger: TaggerOption = None,
    fast: FastOption = False,
    ask: Annotated[bool, typer.Option("--ask", help="Have a language model comment on the texts too.")] = False,
    endpoint: EndpointOption = None,
    model: ModelOption = "gpt-4o-mini",
    out: Annotated[
        Path | None,
        typer.Option(help="Keep the comments in this file (JSON lines); those that are in it are not asked for again."),
    ] = None,
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Ask reviewers short questions about what their text leaves open, by templates, offline.

    With --ask or --endpoint a language model comments on the texts: they leave this machine, so you are asked first.
    Every quotation is verified word for word; comments whose quotation is not in the review are dropped.

    **Examples**

        panelist reviews feedback reviews.csv

        panelist reviews feedback mine.csv --endpoint http://localhost:8000/v1 --model llama --out comments.jsonl
    """
    from eval.reviews.checks.content import contents
    from eval.reviews.reading.files import read_review_file
    from eval.reviews.tagging.tagger import Tagger
    from eval.reviews.writing.feedback import questions

    file = read_review_file(reviews)
    check_files((out,), (reviews,))
    with show_progress("sentences") as progress:
        loaded = Tagger.load(tagger, fast=fast)
        tagged = loaded.tag(file.reviews, progress)
    decided = loaded.model.decisions[loaded.kind]["aspects"]
    asked = [questions(*pair) for pair in zip(tagged, contents(tagged, decided), strict=True)]
    comments = _comments(file, endpoint, model, out, yes) if ask or endpoint else {}
    if json:
        print_json(
            [
                {"review": each.review.id, "questions": [asdict(q) for q in found], **comments.get(each.review.id, {})}
                for each, found in zip(tagged, asked, strict=True)
            ]
        )
        return
    for each, found in zip(tagged, asked, strict=True):
        say(f"{each.review.id}: {counted(len(found), 'question')}")
        for question in found:
            if question.quotation:
                say(f"  “{question.quotation[:200]}”")
            say(f"    {question.text}")
        for comment in comments.get(each.review.id, {}).get("comments", []):
            say(f"  “{comment['quotation']}”")
            say(f"    (machine) {comment['comment']}")


def _comments(
    file: ReviewFile, endpoint: str | None, model: str, out: Path | None, yes: bool
) -> dict[str, dict[str, Any]]:
    """Comments by review. The file of results is the only place where answers are kept."""
    from eval.reviews.writing.endpoint import comment_on, estimate

    address = endpoint or llm_url()
    keys = {r.id: key_of(address, model, r.text).hex() for r in file.reviews if r.tagged}
    lines = out.read_bytes().splitlines() if out is not None and out.is_file() else []
    try:
        kept = {entry["key"]: entry for entry in map(orjson.loads, lines)}
    except (ValueError, KeyError, TypeError):
        raise InputError(f"'{out}' holds something else than comments of this command: give another --out") from None
    wanted = [review for review in file.reviews if review.id in keys and keys[review.id] not in kept]
    if wanted:
        agree(estimate([review.text for review in wanted], model, address), yes)
    with open_client(address, model) as client, show_progress("reviews") as progress:
        try:
            for number, review in enumerate(wanted, 1):
                kept[keys[review.id]] = {"key": keys[review.id], **asdict(comment_on(review, client))}
                progress("asking", number, len(wanted))
        finally:
            if out is not None:
                write_whole(out, b"".join(orjson.dumps(entry) + b"\n" for entry in kept.values()))
    return {review: kept[key] for review, key in keys.items() if key in kept}
