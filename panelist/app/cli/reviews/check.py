"""`panelist reviews check`: every review, every paper, every reviewer."""

from pathlib import Path

from panelist.app.cli.options import JsonOption, option
from panelist.app.cli.output import origin, print_json, print_table, say, show_progress
from panelist.app.cli.reviews.options import ReviewsArgument, TaggerOptions
from panelist.corpus.readers.submissions import read_submissions
from panelist.files import check_directory, check_files, write_whole


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
    from eval.checking import check_reviews
    from eval.reviews.checks import exports
    from eval.reviews.checks.report import check_report, check_tables
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
        facts = origin([reviews, *([papers] if papers else [])])
        check_report(checked, f"Reviews of {reviews.name}", facts).write(report)
    if json:
        print_json(exports.plain(checked))
        return
    for tables_of_section in check_tables(checked).values():
        for table in tables_of_section:
            print_table(table, limit)
    for message in checked.messages:
        say(f"note: {message}")
