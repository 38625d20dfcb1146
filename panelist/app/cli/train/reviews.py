"""`panelist train reviews`: train the taggers of review sentences."""

from pathlib import Path
from typing import Any

from eval.reports.table import Table, table_of
from panelist.app.cli.options import argument, option
from panelist.app.cli.output import Answer, origin, show_progress
from panelist.app.cli.reviews.measures import ReviewDataOption
from panelist.config import cache_dir, data_dir
from panelist.extras import require
from panelist.files import check_directory


def reviews(
    data: list[str] | None = argument(
        "Of peer_review_analyze, substanreview, f1000rd [default: these three]; or disapere by itself."
    ),
    folder: ReviewDataOption = None,
    out: Path | None = option("Folder of the tagger [default: in the user's cache].", "-o"),
    folds: int = option("Folds of the cross-validation, by paper.", default=5, min=2),
    encoder: str | None = option("Encoder of the heads [default: all-MiniLM-L6-v2]."),
    fine_tune: bool | None = option(
        "Fine-tune the encoder too (90 MB beside the tagger) [default: for disapere only].",
        "--fine-tune/--no-fine-tune",
    ),
    threads: int | None = option("Processors to use [default: all].", min=1),
    report: Path | None = option("Write a page with the figures and the reliability plot.", file_okay=False),
) -> Answer:
    """Train the taggers that `panelist reviews` uses, and measure them on sentences that they have not seen.

    A tagger has a linear model over n-grams, heads and a small network over MiniLM's vectors, with --fine-tune also a
    MiniLM of its own, and a second layer that looks at the neighbouring sentences and gives calibrated probabilities.
    The tagger in the package is the one of the three default data sets; a tagger of disapere reads its opinions too,
    and answers DISAPERE's own questions (from Python: panelist.Tagger.load). F1000RD is CC BY-SA and DISAPERE
    CC BY-NC: the terms are written into the card.

    Examples:
        panelist train reviews
        panelist train reviews --out mine --report page
        panelist reviews check reviews.csv --tagger mine
        panelist train reviews disapere --out disapere
    """
    from eval.reviews.training.crossvalidation import TaggerTraining, train_on
    from eval.reviews.training.heldout import summary
    from eval.reviews.training.networks import FineTuning
    from indexing.encoders import DEFAULT_ENCODER
    from indexing.encoders.bert import LayerEncoder
    from indexing.encoders.cache import CachedEncoder
    from indexing.encoders.models import find_model

    require("training a tagger", "torch", "transformers")
    if report is not None:
        check_directory(report)
    sets = data or []
    source = folder or data_dir() / "reviews"
    target = out or cache_dir() / "reviews" / ("-".join(sets) or "default")
    # These texts are public, so their vectors may be cached (some 300 MB): a second training takes minutes less.
    vectors = cache_dir() / "reviews" / "vectors.sqlite"
    loaded = CachedEncoder(LayerEncoder(encoder or DEFAULT_ENCODER, threads=threads), vectors)
    weights = find_model(encoder or DEFAULT_ENCODER).path
    tuned = sets == ["disapere"] if fine_tune is None else fine_tune
    tuning = FineTuning(weights, threads=threads) if tuned and weights is not None else None
    with show_progress("sentences") as progress:
        model = train_on(sets, source, loaded, TaggerTraining(folds=folds, tuning=tuning), progress)
    model.save(target)
    if report is not None:
        from eval.reviews.training.report import tagger_report

        tagger_report(model.card, origin([source])).write(report)
    names = [task.name for task in model.tasks]
    by_kind: dict[str, Any] = {kind: summary(figures, names) for kind, figures in model.card["held_out"].items()}
    for kind, figures in model.card.get("disapere_dev", {}).items():
        by_kind[kind]["disapere_dev"] = {name: figures[name]["macro_f1"] for name in figures}
    parts = [
        _table(by_kind, f"{model.card['reviews']:,} reviews"),
        *(f"terms: {terms}" for terms in model.card["terms"]),
    ]
    value = {"folder": str(target), "card": model.card, **by_kind}
    return Answer(value, [*parts, f"the tagger is in {target}"])


def _table(by_kind: dict[str, Any], title: str) -> Table:
    from eval.reviews.training.report import KIND_NAMES

    kinds, names = by_kind.values(), dict(by_kind["linear"])
    disapere = names.pop("disapere_dev", {})
    rows = [(name.replace("_", " "), *(figures[name] for figures in kinds)) for name in names]
    rows += [
        (f"DISAPERE dev, {name} macro f1", *(figures["disapere_dev"][name] for figures in kinds)) for name in disapere
    ]
    return table_of(title, ("held-out reviews", *((KIND_NAMES[kind], ".3f") for kind in by_kind)), rows)
