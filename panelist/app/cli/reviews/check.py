"""`panelist reviews check`: every review, every paper, every reviewer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from panelist.app.cli.options import JsonOption, option
from panelist.app.cli.output import console, origin, print_json, say, show_progress
from panelist.app.cli.reviews.options import ReviewsArgument, TaggerOptions
from panelist.corpus.readers.submissions import read_submissions
from panelist.files import check_directory, check_files, write_whole

if TYPE_CHECKING:
    from eval.reviews.checks.check import Check


def check(
    reviews: ReviewsArgument,
    papers: Path | None = option("All submissions (CSV, JSON lines), to find reviews of a wrong paper."),
    hints: bool = option("Look for hints too; they come with their error rates."),
    report: Path | None = option("Write a page for the chair.", file_okay=False),
    chair_csv: Path | None = option("Write the table of reviews, with flags.", dir_okay=False),
    authors_csv: Path | None = option("Write the table of reviews for authors, without flags.", dir_okay=False),
    sentences_csv: Path | None = option("Write all sentences with their tags, without flags.", dir_okay=False),
    *,
    tagger: TaggerOptions,
    limit: int = option("Rows of each table on the screen.", default=20, min=1),
    json: JsonOption = False,
) -> None:
    """Tag reviews and say what they leave out, whether they fit their papers, what they share, where they disagree.

    Flags are for the chair. Files for authors leave out everything about reviewers. Texts go into no log and no cache.

    Examples:
        panelist reviews check reviews.csv --papers submissions.csv --report check
        panelist reviews check openreview.json --authors-csv authors.csv
        panelist reviews check reviews.jsonl --fast --json
    """
    from rich.table import Table

    from eval.checking import check_reviews
    from eval.reviews.checks import exports
    from eval.reviews.reading.files import read_review_file

    file = read_review_file(reviews)
    submissions = None if papers is None else read_submissions(papers)
    tables = {chair_csv: exports.chair_csv, authors_csv: exports.authors_csv, sentences_csv: exports.sentences_csv}
    check_files((chair_csv, authors_csv, sentences_csv), (reviews, papers))
    if report is not None:
        check_directory(report)
    with show_progress("sentences") as progress:
        checked = check_reviews(file, tagger.load(), submissions, hints=hints, progress=progress)
    for path, to_csv in tables.items():
        if path is not None:
            write_whole(path, to_csv(checked).encode())
    if report is not None:
        from eval.reviews.checks.report import check_report

        facts = origin([reviews, *([papers] if papers else [])])
        check_report(checked, f"Reviews of {reviews.name}", facts).write(report)
    if json:
        print_json(exports.plain(checked))
        return
    screen = console()
    for title, columns, rows in _tables(checked, limit):
        table = Table(*columns, title=title, title_justify="left")
        for row in rows[:limit]:
            table.add_row(*row)
        screen.print(table)
    for message in checked.messages:
        say(f"note: {message}")
    for kind in checked.hint_kinds:
        say(f"hint '{kind.name}': {kind.errors}")


def _tables(checked: Check, limit: int) -> Iterator[tuple[str, Sequence[str], Sequence[tuple[str, ...]]]]:
    """Yield title, columns and rows of each table."""
    reviews = [
        (
            c.review, f"{c.words:,}", " ".join(c.aspects) or "–", " ".join(c.omitted) or "–",
            f"{c.strengths} / {c.weaknesses}", f"{c.requests}", f"{c.questions}", "; ".join(c.flags),
        )
        for c in checked.contents
    ]  # fmt: skip
    head = ("review", "words", "aspects", "leaves out", "+ / −", "requests", "questions", "flags")
    yield f"{min(limit, len(reviews))} of {len(reviews):,} reviews", head, reviews
    papers = [
        (
            view.paper,
            f"{len(view.reviews)}",
            " ".join("–" if score is None else f"{score:g}" for score in view.scores),
            "–" if view.calibrated is None else f"{view.calibrated:.2f}",
            " ".join(dispute.aspect for dispute in view.disputes) or "–",
        )
        for view in sorted(checked.papers, key=lambda view: (-len(view.disputes), view.paper))
    ]
    paper_head = ("paper", "reviews", "scores", "calibrated", "disputed")
    yield f"{len(papers):,} papers, most disputed first", paper_head, papers
    suspected = [(m.review, m.paper, f"{m.rank}", m.nearest) for m in checked.matches if m.suspected]
    if suspected:
        yield "perhaps about another paper", ("review", "own paper", "its rank", "nearest paper"), suspected
    shared = [(p.first, p.second, f"{p.containment:.0%}", p.passage[:80]) for p in checked.shared]
    if shared:
        yield "text in common", ("review", "other review", "shared", "passage"), shared
    notable = [(r.reviewer, f"{r.reviews}", "; ".join(r.notable)) for r in checked.reviewers if r.notable]
    if notable:
        yield "reviewers who differ from the venue", ("reviewer", "reviews", "how"), notable
    hints = [(h.kind, h.review, h.text[:100]) for h in checked.hints]
    if hints:
        yield "hints, never verdicts", ("hint", "review", "about"), hints
