"""`panelist reviews check`: every review, every paper, every reviewer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import console, how_made, print_json, say, show_progress
from panelist.app.cli.reviews.options import FastOption, ReviewsArgument, TaggerOption
from panelist.files import check_directory, check_files, write_whole

if TYPE_CHECKING:
    from eval.reviews.checks.check import Check


def check(
    reviews: ReviewsArgument,
    papers: Annotated[
        Path | None,
        typer.Option(help="All submissions (CSV, JSON lines), to find reviews of a wrong paper.", show_default=False),
    ] = None,
    hints: Annotated[
        bool, typer.Option("--hints", help="Look for hints too; they come with their error rates.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write a page for the chair.", file_okay=False)] = None,
    chair_csv: Annotated[
        Path | None, typer.Option(help="Write the table of reviews, with flags.", dir_okay=False)
    ] = None,
    authors_csv: Annotated[
        Path | None, typer.Option(help="Write the table of reviews for authors, without flags.", dir_okay=False)
    ] = None,
    sentences_csv: Annotated[
        Path | None, typer.Option(help="Write all sentences with their tags, without flags.", dir_okay=False)
    ] = None,
    tagger: TaggerOption = None,
    fast: FastOption = False,
    limit: Annotated[int, typer.Option(help="Rows of each table on the screen.", min=1)] = 20,
    json: JsonOption = False,
) -> None:
    """Tag reviews and say what they leave out, whether they fit their papers, what they share, where they disagree.

    Flags are for the chair. Files for authors leave out everything about reviewers. Texts go into no log and no cache.

    **Examples**

        panelist reviews check reviews.csv --papers submissions.csv --report check

        panelist reviews check openreview.json --authors-csv authors.csv

        panelist reviews check reviews.jsonl --fast --json
    """
    from eval.reviews.checks import exports
    from eval.reviews.checks.check import check_reviews
    from eval.reviews.reading.files import read_review_file
    from eval.reviews.tagging.tagger import Tagger
    from panelist.corpus.readers.submissions import read_submissions

    file = read_review_file(reviews)
    submissions = None if papers is None else read_submissions(papers)
    outputs = {chair_csv: exports.chair_csv, authors_csv: exports.authors_csv, sentences_csv: exports.sentences_csv}
    check_files((chair_csv, authors_csv, sentences_csv), (reviews, papers))
    if report is not None:
        check_directory(report)
    with show_progress("sentences") as progress:
        found = check_reviews(file, Tagger.load(tagger, fast=fast), submissions, hints=hints, progress=progress)
    for path, written in outputs.items():
        if path is not None:
            write_whole(path, written(found).encode())
    if report is not None:
        from eval.reviews.checks.report import check_report

        made = how_made([reviews, *([papers] if papers else [])])
        check_report(found, f"Reviews of {reviews.name}", made).write(report)
    if json:
        print_json(exports.plain(found))
        return
    screen = console()
    for table in _tables(found, limit):
        screen.print(table)
    for message in found.messages:
        say(f"note: {message}")
    for kind in found.hint_kinds:
        say(f"hint '{kind.name}': {kind.errors}")


def _tables(found: Check, limit: int) -> list[Any]:
    from rich.table import Table

    def table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Table:
        built = Table(*columns, title=title, title_justify="left")
        for row in rows[:limit]:
            built.add_row(*row)
        return built

    reviews = [
        (
            c.review, f"{c.words:,}", " ".join(c.aspects) or "–", " ".join(c.omitted) or "–",
            f"{c.strengths} / {c.weaknesses}", f"{c.requests}", f"{c.questions}", "; ".join(c.flags),
        )
        for c in found.contents
    ]  # fmt: skip
    papers = [
        (
            view.paper,
            f"{len(view.reviews)}",
            " ".join("–" if score is None else f"{score:g}" for score in view.scores),
            "–" if view.calibrated is None else f"{view.calibrated:.2f}",
            " ".join(dispute.aspect for dispute in view.disputes) or "–",
        )
        for view in sorted(found.papers, key=lambda view: (-len(view.disputes), view.paper))
    ]
    head = ("review", "words", "aspects", "leaves out", "+ / −", "requests", "questions", "flags")
    tables = [table(f"{min(limit, len(reviews))} of {len(reviews):,} reviews", head, reviews)]
    paper_head = ("paper", "reviews", "scores", "calibrated", "disputed")
    tables.append(table(f"{len(papers):,} papers, most disputed first", paper_head, papers))
    suspected = [(m.review, m.paper, f"{m.rank}", m.nearest) for m in found.matches if m.suspected]
    if suspected:
        tables.append(
            table("perhaps about another paper", ("review", "own paper", "its rank", "nearest paper"), suspected)
        )
    shared = [(p.first, p.second, f"{p.containment:.0%}", p.passage[:80]) for p in found.shared]
    if shared:
        tables.append(table("text in common", ("review", "other review", "shared", "passage"), shared))
    notable = [(r.reviewer, f"{r.reviews}", "; ".join(r.notable)) for r in found.reviewers if r.notable]
    if notable:
        tables.append(table("reviewers who differ from the venue", ("reviewer", "reviews", "how"), notable))
    if found.hints:
        rows = [(h.kind, h.review, h.text[:100]) for h in found.hints]
        tables.append(table("hints, never verdicts", ("hint", "review", "about"), rows))
    return tables
