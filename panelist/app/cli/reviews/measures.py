"""`panelist reviews bias` and `compare`: two groups of reviews, or drafts and reference reviews, side by side."""

from dataclasses import asdict, astuple
from pathlib import Path

from eval.reports.table import table_of
from panelist.app.cli.options import JsonOption, argument, option
from panelist.app.cli.output import print_json, print_table, say, show_progress
from panelist.app.cli.reviews.options import ReviewsArgument, TaggerOptions
from panelist.errors import InputError
from panelist.words import counted


def bias(
    reviews: ReviewsArgument,
    group: str = option("The column that names the group of each review (of its paper)."),
    groups: list[str] | None = option(
        "The two groups, first and second, where the column has more (give it twice).", "--of"
    ),
    *,
    tagger: TaggerOptions,
    seed: int = option("Seed of the resampling.", default=0, min=0),
    json: JsonOption = False,
) -> None:
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
    if json:
        print_json({**asdict(report), "tagged": tagged, "aspects": {d.aspect: asdict(d) for d in report.disparities}})
        return
    columns = ("aspect", *((name, ".3f") for name in pair), ("difference", "+.3f"), ("95 % interval", "+.3f"))
    print_table(table_of("aspect scores", columns, map(astuple, report.disparities)))
    say("{:,} and {:,} reviews of {:,} and {:,} papers".format(*report.reviews, *report.papers))
    for warning in report.warnings:
        say(f"warning: {warning}")
    if tagged:
        say("note: from tagged text only the overall polarity and clarity are shown (docs/how/reviews.md)")


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
    group, other = chosen or groups
    return group, other


def compare(
    drafts: Path = argument("The reviews to be measured: CSV or JSON lines with paper and text."),
    references: Path = argument("Reviews of the same papers; kind = metareview marks a meta-review."),
    *,
    tagger: TaggerOptions,
    bertscore: bool = option(
        "Compute BERTScore too, with the default encoder.", "--bertscore/--no-bertscore", default=True
    ),
    json: JsonOption = False,
) -> None:
    """Measure drafts: ACOV, AREC, ROUGE and BERTScore (the maximum over references), and what people have judged.

    RACC, INFO, ACON and SACC are read from the columns decision, recommendation, negative_aspects,
    negative_with_evidence, valid_support and summary_correct of the drafts. What stands in for them automatically has
    other names.

    Examples:
        panelist reviews compare drafts.jsonl references.jsonl
        panelist reviews compare drafts.csv references.csv --no-bertscore --json
    """
    from eval.reviews.measures.compare import compare as run_comparison
    from eval.reviews.reading.files import read_review_file
    from indexing.encoders.bert import TokenEncoder

    files = read_review_file(drafts), read_review_file(references)
    with show_progress("sentences") as progress:
        comparison = run_comparison(*files, tagger.load(), TokenEncoder() if bertscore else None, progress)
    if json:
        print_json(asdict(comparison))
        return
    title = f"{counted(len(comparison.drafts), 'draft')} on {counted(comparison.papers, 'paper')}"
    print_table(table_of(title, ("measure", "mean"), comparison.means.items()))
    for message in comparison.messages:
        say(f"note: {message}")
