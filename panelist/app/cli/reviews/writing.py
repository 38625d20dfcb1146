"""`panelist reviews brief`, `feedback` and `draft`: what matters in a paper, and what is open in its reviews."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
import typer

from panelist.app.cli.options import option
from panelist.app.cli.output import Answer, agree, show_progress
from panelist.app.cli.reviews.measures import ReviewsArgument, TaggerOptions
from panelist.config import llm_url
from panelist.errors import InputError
from panelist.files import check_files, write_whole
from panelist.keyed_file import key_of
from panelist.words import counted

if TYPE_CHECKING:
    from eval.reviews.reading.files import ReviewFile

PaperArgument = Annotated[Path, typer.Argument(help="The paper as PDF or as text in UTF-8.")]
ModelOption = Annotated[str, typer.Option("--model", help="The model's name at the endpoint.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Send the texts without asking.")]
_PATIENCE: dict[str, Any] = {"retries": 5, "timeout": 120.0}  # with a language model; seconds


def brief(
    paper: PaperArgument,
    sentences: int = option("At most this many.", "-n", default=30, min=1),
    by: Literal["cross-entropy", "abstract", "introduction"] = option(
        "What is taken; abstract: the abstract and what the cross-entropy method chooses.", default="cross-entropy"
    ),
    seed: int = option("Seed of the search.", default=0, min=0),
) -> Answer:
    """Pick the sentences of a paper that matter for a review, by the cross-entropy method. Nothing is generated.

    Examples:
        panelist reviews brief paper.pdf
        panelist reviews brief paper.txt --sentences 15 --json
        panelist reviews brief paper.pdf --by abstract
    """
    from eval.reviews.writing.brief import make_brief

    result = make_brief(_text_of(paper), sentences, seed, by)
    numbered = zip(result.numbers, result.sentences, strict=True)
    chosen = f"{counted(len(result.sentences), 'sentence')} of {result.read} that were read"
    lines = (f"{number + 1:>4}  {sentence.text}" for number, sentence in numbered)
    return Answer(asdict(result), [*lines, f"{chosen}; {result.candidates} came into question"])


def feedback(
    reviews: ReviewsArgument,
    *,
    tagger: TaggerOptions,
    ask: bool = option("Have a language model comment on the texts too."),
    endpoint: str | None = option("OpenAI-compatible address before /chat/completions [default: $PANELIST_LLM_URL]."),
    model: ModelOption = "gpt-4o-mini",
    out: Path | None = option("Keep the comments in this file (JSON lines); those in it are not asked for again."),
    yes: YesOption = False,
) -> Answer:
    """Ask reviewers short questions about what their text leaves open, by templates, offline.

    With --ask or --endpoint a language model comments on the texts: they leave this machine, so you are asked first.
    Every quotation is verified word for word; comments whose quotation is not in the review are dropped.

    Examples:
        panelist reviews feedback reviews.csv
        panelist reviews feedback mine.csv --endpoint http://localhost:8000/v1 --model llama --out comments.jsonl
    """
    from eval.reviews.checks.content import contents
    from eval.reviews.reading.files import read_review_file
    from eval.reviews.writing.feedback import questions

    file = read_review_file(reviews)
    check_files((out,), (reviews,))
    with show_progress("sentences") as progress:
        loaded = tagger.load()
        tagged = loaded.tag(file.reviews, progress)
    decided = loaded.model.decisions[loaded.kind]["aspects"]
    open_questions = [questions(*pair) for pair in zip(tagged, contents(tagged, decided), strict=True)]
    comments = _comments(file, endpoint, model, out, yes) if ask or endpoint else {}
    rows: list[dict[str, Any]] = [
        {"review": text.review.id, "questions": question_list, **comments.get(text.review.id, {})}
        for text, question_list in zip(tagged, open_questions, strict=True)
    ]
    return Answer(rows, (line for row in rows for line in _lines(row)))


def _lines(row: dict[str, Any]) -> Iterator[str]:
    yield f"{row['review']}: {counted(len(row['questions']), 'question')}"
    for question in row["questions"]:
        if question.quotation:
            yield f"  “{question.quotation[:200]}”"
        yield f"    {question.text}"
    for comment in row.get("comments", []):
        yield f"  “{comment['quotation']}”"
        yield f"    (machine) {comment['comment']}"


def _comments(
    file: ReviewFile, endpoint: str | None, model: str, out: Path | None, yes: bool
) -> dict[str, dict[str, Any]]:
    """Return the comments by review. The file of results is the only place where answers are stored."""
    from eval.reviews.writing.endpoint import comment_on, estimate
    from panelist.http.llm import LlmClient

    address = endpoint or llm_url()
    keys = {r.id: key_of(address, model, r.text).hex() for r in file.reviews if r.tagged}
    lines = out.read_bytes().splitlines() if out is not None and out.is_file() else []
    try:
        stored = {entry["key"]: entry for entry in map(orjson.loads, lines)}
    except (ValueError, KeyError, TypeError):
        raise InputError(f"'{out}' holds something else than comments of this command: give another --out") from None
    new = [review for review in file.reviews if review.id in keys and keys[review.id] not in stored]
    if new:
        agree(estimate([review.text for review in new], model, address), yes)
    with LlmClient(address, model, **_PATIENCE) as client, show_progress("reviews") as progress:
        try:
            for number, review in enumerate(new, 1):
                stored[keys[review.id]] = {"key": keys[review.id], **asdict(comment_on(review, client))}
                progress("asking", number, len(new))
        finally:
            if out is not None:
                write_whole(out, b"".join(orjson.dumps(entry) + b"\n" for entry in stored.values()))
    return {review: stored[key] for review, key in keys.items() if key in stored}


def draft(
    paper: PaperArgument,
    endpoint: str = option("OpenAI-compatible address before /chat/completions."),
    aspect: list[str] | None = option("Aspects to write about: summary, motivation, originality, … (may be repeated)."),
    model: ModelOption = "gpt-4o-mini",
    seed: int = option("Seed of the choice of sentences.", default=0, min=0),
    yes: YesOption = False,
) -> Answer:
    """Have a language model draft notes on a paper, by aspects. Its authors' own verdict on such drafts: not yet.

    **Before you use this**: ACL Rolling Review, ICML, ISCA, NeurIPS, the NIH and many journals forbid reviewers to
    upload a submission to a language model or to have one write their review. Read your venue's rules first. Every
    sentence must rest on a sentence of the paper, which is shown; sentences without one are dropped. The draft is
    marked as machine-made. The chosen sentences of the paper leave this machine.

    Examples:
        panelist reviews draft mine.pdf --endpoint http://localhost:8000/v1 --model llama --aspect clarity
    """
    from rich.text import Text

    from eval.reviews.tagging.typology import ADVISOR_NAMES
    from eval.reviews.writing.brief import make_brief
    from eval.reviews.writing.endpoint import ask_for_draft, draft_question, estimate
    from panelist.http.llm import LlmClient

    aspects = aspect or list(ADVISOR_NAMES.values())
    unknown = [name for name in aspects if name not in ADVISOR_NAMES.values()]
    if unknown:
        raise InputError(f"unknown aspect '{unknown[0]}': give some of {', '.join(ADVISOR_NAMES.values())}")
    chosen = make_brief(_text_of(paper), seed=seed).sentences
    if not chosen:
        raise InputError(f"no sentence of '{paper}' can be drafted from: it has no text, or none of the keywords")
    agree(estimate([draft_question(chosen, aspects)], model, endpoint), yes)
    with LlmClient(endpoint, model, **_PATIENCE) as client:
        notes = ask_for_draft(chosen, aspects, client)
    parts: list[Any] = [Text(notes.notice, "bold")]
    for sentence in notes.sentences:
        parts += [f"[{sentence.aspect}, {sentence.polarity}] {sentence.text}", f"    rests on: {sentence.source_text}"]
    dropped = counted(notes.dropped, "sentence without a source was dropped", "sentences without a source were dropped")
    return Answer(asdict(notes), [*parts, dropped])


def _text_of(path: Path) -> str:
    """Read the whole text of a PDF file, in a process with little time and memory, or of plain text."""
    from panelist.app.manuscripts import full_text, is_pdf

    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror or error}") from error
    try:
        text = full_text(content) if is_pdf(content) else content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"'{path}' is neither a PDF file nor text in UTF-8: {error}") from error
    if not text.strip():
        raise InputError(f"'{path}' holds no text: a scanned PDF file must be recognised first")
    return text
