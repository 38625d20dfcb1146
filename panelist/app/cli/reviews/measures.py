"""`panelist reviews check`, `bias` and `compare`: all that reviews say, and two kinds of them side by side."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eval.reports.table import table_of
from panelist.app.cli.options import argument, option
from panelist.app.cli.output import Answer, first_rows, origin, show_progress
from panelist.corpus.readers.submissions import read_submissions
from panelist.errors import InputError
from panelist.files import check_directory, check_files, write_whole
from panelist.words import counted

if TYPE_CHECKING:
    from eval.reviews.tagging.tagger import Tagger

_REVIEWS = "CSV (paper,text and perhaps id,reviewer,score), JSON lines, or OpenReview's JSON."
ReviewsArgument = Annotated[Path, typer.Argument(help=_REVIEWS)]
_DATA = "Folder of the data sets [default: reviews in $PANELIST_DATA]."
ReviewDataOption = Annotated[Path | None, typer.Option("--data", help=_DATA)]


@dataclass(frozen=True)
class TaggerOptions:
    """Which tagger reads the reviews."""

    tagger: Path | None = option("Folder of a tagger that 'panelist train reviews' made [default: the package's].")
    fast: bool = option("Tag with the linear model only: no MiniLM, many times faster, less exact.")

    def load(self) -> Tagger:
        """Load the tagger that these options name."""
        from eval.reviews.tagging.tagger import Tagger

        return Tagger.load(self.tagger, fast=self.fast)


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
) -> Answer:
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
    tables_shown = (first_rows(table, limit) for section in check_tables(checked).values() for table in section)
    return Answer(
        exports.check_as_json(checked), [*tables_shown, *(f"note: {message}" for message in checked.messages)]
    )


def bias(
    reviews: ReviewsArgument,
    group: str = option("The column that names the group of each review (of its paper)."),
    groups: list[str] | None = option("The first and the second group, where the column has more (twice).", "--of"),
    *,
    tagger: TaggerOptions,
    seed: int = option("Seed of the resampling.", default=0, min=0),
) -> Answer:
    """Compare how two groups of papers are spoken of: aspect scores and their difference, with 95 % intervals.

    Tagged text follows the reviewers' own numbers for clarity only, so that on tagged text only the overall polarity
    and clarity are shown. A file with gold labels gives all its aspects: a column for each, named as the aspect, that
    holds positive/all occurrences such as 2/3.

    Examples:
        panelist reviews bias reviews.csv --group decision
        panelist reviews bias reviews.csv --group country --of native --of other --json
    """
    from eval.reviews.measures.bias import disparities, gold_occurrences, tagged_occurrences
    from eval.reviews.reading.files import read_review_file

    file = read_review_file(reviews)
    pair = _pair([dict(review.columns) for review in file.reviews], group, groups)
    occurrences = gold_occurrences(file.reviews, group)
    tagged = occurrences is None
    if occurrences is None:
        with show_progress("sentences") as progress:
            occurrences = tagged_occurrences(tagger.load().tag(file.reviews, progress), group)
    aspects = list(dict.fromkeys(name for review in occurrences for name in review.occurrences))
    report = disparities(occurrences, aspects, pair, seed)
    columns = ("aspect", *((name, ".3f") for name in pair), ("difference", "+.3f"), ("95 % interval", "+.3f"))
    table = table_of("aspect scores", columns, map(astuple, report.disparities))
    lines = ["{:,} and {:,} reviews of {:,} and {:,} papers".format(*report.reviews, *report.papers)]
    lines += (f"warning: {warning}" for warning in report.warnings)
    if tagged:
        lines.append("note: from tagged text only the overall polarity and clarity are shown (docs/how/reviews.md)")
    by_aspect = {disparity.aspect: asdict(disparity) for disparity in report.disparities}
    return Answer({**asdict(report), "tagged": tagged, "aspects": by_aspect}, [table, *lines])


def _pair(reviews: list[dict[str, str]], column: str, chosen: list[str] | None) -> tuple[str, str]:
    if not any(column in columns for columns in reviews):
        names = ", ".join(dict.fromkeys(name for columns in reviews for name in columns)) or "none"
        raise InputError(f"no column '{column}' in the reviews (further columns: {names})")
    groups = sorted({columns.get(column, "") for columns in reviews} - {""})
    if chosen and (len(chosen) != 2 or any(name not in groups for name in chosen)):
        raise InputError(f"--of must be given twice, each time one of {', '.join(groups)}")
    if not chosen and len(groups) != 2:
        raise InputError(
            f"column '{column}' has {len(groups)} groups ({', '.join(groups)[:200]}): choose two with --of"
        )
    group, other_group = chosen or groups
    return group, other_group


def compare(
    drafts: Path = argument("The reviews to be measured: CSV or JSON lines with paper and text."),
    references: Path = argument("Reviews of the same papers; kind = metareview marks a meta-review."),
    *,
    tagger: TaggerOptions,
    bertscore: bool = option("BERTScore too, with the default encoder.", "--bertscore/--no-bertscore", default=True),
) -> Answer:
    """Measure drafts: ACOV, AREC, ROUGE and BERTScore (the maximum over references), and what people have judged.

    RACC, INFO, ACON and SACC are read from the columns decision, recommendation, negative_aspects,
    negative_with_evidence, valid_support and summary_correct of the drafts. What stands in for them automatically has
    other names.

    Examples:
        panelist reviews compare drafts.jsonl references.jsonl
        panelist reviews compare drafts.csv references.csv --no-bertscore --json
    """
    from eval.reviews.measures.compare import compare_drafts
    from eval.reviews.reading.files import read_review_file
    from indexing.encoders.bert import TokenEncoder

    files = read_review_file(drafts), read_review_file(references)
    with show_progress("sentences") as progress:
        comparison = compare_drafts(*files, tagger.load(), TokenEncoder() if bertscore else None, progress)
    title = f"{counted(len(comparison.drafts), 'draft')} on {counted(comparison.papers, 'paper')}"
    table = table_of(title, ("measure", "mean"), comparison.means.items())
    return Answer(asdict(comparison), [table, *(f"note: {message}" for message in comparison.messages)])
