"""`panelist reviews compare`: drafts against reference reviews, by the measures of ReviewAdvisor."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import print_json, print_table, say, show_progress
from panelist.app.cli.reviews.options import FastOption, TaggerOption
from panelist.words import counted


def compare(
    drafts: Annotated[Path, typer.Argument(help="The reviews to be measured: CSV or JSON lines with paper and text.")],
    references: Annotated[
        Path, typer.Argument(help="Reviews of the same papers; kind = metareview marks a meta-review.")
    ],
    tagger: TaggerOption = None,
    fast: FastOption = False,
    bertscore: Annotated[bool, typer.Option(help="Compute BERTScore too, with the default encoder.")] = True,
    json: JsonOption = False,
) -> None:
    """Measure drafts: ACOV, AREC, ROUGE and BERTScore (the maximum over references), and what people have judged.

    RACC, INFO, ACON and SACC are read from the columns decision, recommendation, negative_aspects,
    negative_with_evidence, valid_support and summary_correct of the drafts. What stands in for them automatically has
    other names.

    **Examples**

        panelist reviews compare drafts.jsonl references.jsonl

        panelist reviews compare drafts.csv references.csv --no-bertscore --json
    """
    from eval.reviews.measures.compare import compare as run_comparison
    from eval.reviews.reading.files import read_review_file
    from eval.reviews.tagging.tagger import Tagger
    from indexing.encoders.bert import TokenEncoder

    written, given = read_review_file(drafts), read_review_file(references)
    with show_progress("sentences") as progress:
        encoder = TokenEncoder() if bertscore else None
        found = run_comparison(written, given, Tagger.load(tagger, fast=fast), encoder, progress)
    if json:
        print_json(asdict(found))
        return
    title = f"{counted(len(found.drafts), 'draft')} on {counted(found.papers, 'paper')}"
    print_table(("measure", "mean"), [(name, f"{value:.4f}") for name, value in found.means.items()], title)
    for message in found.messages:
        say(f"note: {message}")
