"""`panelist reviews bias`: aspect scores of two groups of reviews and their disparity."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import print_json, print_table, say, show_progress
from panelist.app.cli.reviews.options import FastOption, ReviewsArgument, TaggerOption
from panelist.errors import InputError

if TYPE_CHECKING:
    from eval.reviews.reading.files import ReviewFile


def bias(
    reviews: ReviewsArgument,
    group: Annotated[str, typer.Option(help="The column that names the group of each review (of its paper).")],
    groups: Annotated[
        list[str] | None,
        typer.Option("--of", help="The two groups, first and second, where the column has more (give it twice)."),
    ] = None,
    tagger: TaggerOption = None,
    fast: FastOption = False,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.", min=0)] = 0,
    json: JsonOption = False,
) -> None:
    """Compare how two groups of papers are spoken of: aspect scores and their difference, with 95 % intervals.

    Tagged text follows the reviewers' own numbers for clarity only, so that on tagged text only the overall polarity
    and clarity are shown. A file with gold labels gives all its aspects: a column for each, named as the aspect, that
    holds positive/all occurrences such as 2/3.

    **Examples**

        panelist reviews bias reviews.csv --group decision

        panelist reviews bias reviews.csv --group country --of native --of other --json
    """
    from eval.reviews.measures.bias import disparities, gold_occurrences, tagged_occurrences
    from eval.reviews.reading.files import read_review_file
    from eval.reviews.tagging.tagger import Tagger

    file = read_review_file(reviews)
    pair = _pair(file, group, groups)
    found = gold_occurrences(file.reviews, group)
    tagged = found is None
    if found is None:
        with show_progress("sentences") as progress:
            found = tagged_occurrences(Tagger.load(tagger, fast=fast).tag(file.reviews, progress), group)
    aspects = list(dict.fromkeys(name for review in found for name in review.occurrences))
    report = disparities(found, aspects, pair, seed)
    if json:
        print_json({**asdict(report), "tagged": tagged, "aspects": {d.aspect: asdict(d) for d in report.disparities}})
        return
    rows = [
        (
            each.aspect,
            f"{each.first:.3f}",
            f"{each.second:.3f}",
            f"{each.difference:+.3f}",
            f"{each.interval[0]:+.3f} to {each.interval[1]:+.3f}",
        )
        for each in report.disparities
    ]
    print_table(("aspect", *pair, "difference", "95 % interval"), rows, "aspect scores")
    say("{:,} and {:,} reviews of {:,} and {:,} papers".format(*report.reviews, *report.papers))
    for warning in report.warnings:
        say(f"warning: {warning}")
    if tagged:
        say("note: from tagged text only the overall polarity and clarity are shown (docs/how/reviews.md)")


def _pair(file: ReviewFile, column: str, wanted: list[str] | None) -> tuple[str, str]:
    if not any(column in review.columns for review in file.reviews):
        known = ", ".join(dict.fromkeys(name for review in file.reviews for name in review.columns)) or "none"
        raise InputError(f"no column '{column}' in the reviews (further columns: {known})")
    values = Counter(review.columns.get(column, "") for review in file.reviews)
    values.pop("", None)
    if wanted:
        if len(wanted) != 2 or any(name not in values for name in wanted):
            raise InputError(f"--of must be given twice, each time one of {', '.join(sorted(values))}")
        return wanted[0], wanted[1]
    if len(values) != 2:
        raise InputError(
            f"column '{column}' has {len(values)} groups ({', '.join(sorted(values))[:200]}): choose two with --of"
        )
    first, second = sorted(values)
    return first, second
