"""`panelist train reviews`: train the taggers of review sentences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import how_made, print_json, print_table, say, show_progress
from panelist.app.cli.reviews.options import ReviewDataOption
from panelist.config import cache_dir, data_dir
from panelist.extras import require
from panelist.files import check_directory

if TYPE_CHECKING:
    from eval.reviews.tagging.model import TaggerModel


def reviews(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Of peer_review_analyze, substanreview, f1000rd [default: these three]; or disapere by itself.",
            show_default=False,
        ),
    ] = None,
    folder: ReviewDataOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the tagger [default: in the user's cache].", show_default=False),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation, by paper.")] = 5,
    encoder: Annotated[
        str | None, typer.Option(help="Encoder of the heads [default: all-MiniLM-L6-v2].", show_default=False)
    ] = None,
    fine_tune: Annotated[
        bool | None,
        typer.Option(
            "--fine-tune/--no-fine-tune",
            help="Fine-tune the encoder too (90 MB beside the tagger) [default: for disapere only].",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Processors to use [default: all].", min=1, show_default=False)
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page with the figures and the reliability plot.", file_okay=False)
    ] = None,
    json: JsonOption = False,
) -> None:
    """Train the taggers that `panelist reviews` uses, and measure them on sentences that they have not seen.

    A tagger has a linear model over n-grams, heads and a small network over MiniLM's vectors, with --fine-tune also a
    MiniLM of its own, and a second layer that looks at the neighbouring sentences and gives calibrated probabilities.
    The tagger in the package is the one of the three default data sets; a tagger of disapere reads its opinions too,
    and answers DISAPERE's own questions (from Python: panelist.Tagger.load). F1000RD is CC BY-SA and DISAPERE
    CC BY-NC: the terms are written into the card.

    **Examples**

        panelist train reviews

        panelist train reviews --out mine --report page

        panelist reviews check reviews.csv --tagger mine

        panelist train reviews disapere --out disapere
    """
    from eval.reviews.training.crossvalidation import TaggerTraining, train_on
    from eval.reviews.training.networks import FineTuning
    from indexing.encoders import DEFAULT_ENCODER
    from indexing.encoders.bert import LayerEncoder
    from indexing.encoders.cache import CachedEncoder
    from indexing.encoders.models import find

    require("training a tagger", "torch", "transformers")
    if report is not None:
        check_directory(report)
    names = data or []
    source = folder or data_dir() / "reviews"
    target = out or cache_dir() / "reviews" / ("-".join(names) or "default")
    # These texts are public, so their vectors may be kept (some 300 MB): a second training takes minutes less.
    cache = cache_dir() / "reviews" / "vectors.sqlite"
    loaded = CachedEncoder(LayerEncoder(encoder or DEFAULT_ENCODER, threads=threads), cache)
    weights = find(encoder or DEFAULT_ENCODER).path
    wanted = names == ["disapere"] if fine_tune is None else fine_tune
    tuning = FineTuning(weights, threads=threads) if wanted and weights is not None else None
    with show_progress("sentences") as progress:
        model = train_on(names, source, loaded, TaggerTraining(folds=folds, tuning=tuning), progress)
    model.save(target)
    if report is not None:
        from eval.reviews.training.report import tagger_report

        tagger_report(model.card, how_made([source])).write(report)
    if json:
        print_json({"folder": str(target), "card": model.card, **_flat(model)})
        return
    _show(model)
    for terms in model.card["terms"]:
        say(f"terms: {terms}")
    say(f"the tagger is in {target}")


def _flat(model: TaggerModel) -> dict[str, Any]:
    """The figures that matter most, where they are easily found."""
    from eval.reviews.training.heldout import summary

    names = [task.name for task in model.tasks]
    found: dict[str, Any] = {kind: summary(figures, names) for kind, figures in model.card["held_out"].items()}
    for kind, figures in model.card.get("disapere_dev", {}).items():
        found[kind]["disapere_dev"] = {name: figures[name]["macro_f1"] for name in figures}
    return found


def _show(model: TaggerModel) -> None:
    from eval.reviews.training.report import KIND_NAMES

    flat = _flat(model)
    rows = [
        (name.replace("_", " "), *(f"{of[name]:.3f}" for of in flat.values()))
        for name in flat["linear"]
        if name != "disapere_dev"
    ]
    rows += [
        (f"DISAPERE dev, {name} macro f1", *(f"{of['disapere_dev'][name]:.3f}" for of in flat.values()))
        for name in flat["linear"].get("disapere_dev", {})
    ]
    print_table(("held-out reviews", *(KIND_NAMES[kind] for kind in flat)), rows, f"{model.card['reviews']:,} reviews")
