"""A page about a tagger: its figures on held-out reviews, and whether its probabilities can be believed."""

from collections.abc import Mapping
from typing import Any

from eval.reports.figures import Picture, canvas, png
from eval.reports.page import Prose, Report, Section
from eval.reports.table import Table, table_of

KIND_NAMES = {"linear": "linear", "full": "with MiniLM", "tuned": "fine-tuned"}


def tagger_report(card: Mapping[str, Any], provenance: Mapping[str, str]) -> Report:
    """The page of a trained tagger."""
    data = ", ".join(f"{source['name']} ({source['licence']})" for source in card["data"])
    lead = f"Trained on {card['reviews']:,} reviews, {card['sentences']:,} sentences: {data}."
    explanation = f"Every figure is of papers that the tagger had not seen, in {card['folds']} folds by paper."
    terms = card["terms"] or ["No terms beyond those of the data."]
    sections = (
        Section("Held-out reviews", (Prose(explanation), figures_table(card))),
        Section("Can its probabilities be believed?", (draw_reliability(card),)),
        Section("Terms", tuple(map(Prose, terms))),
    )
    return Report("The tagger of review sentences", lead, sections, provenance)


def figures_table(card: Mapping[str, Any]) -> Table:
    """F1 by task and class, of each form of the tagger."""
    rows: list[tuple[str | float | None, ...]] = []
    forms = card["held_out"]
    for task, figures in forms["full"].items():
        rows.append((f"{task}, macro F1", *(forms[kind][task]["macro_f1"] for kind in forms)))
        rows += [(f"{task}: {name}", *(forms[kind][task]["f1"][name] for kind in forms)) for name in figures["f1"]]
        if "presence" in figures:
            scores = (forms[kind][task]["presence"]["micro_f1"] for kind in forms)
            rows.append(("aspects of whole reviews, micro F1", *scores))
    return table_of("", ("F1", *((KIND_NAMES[kind], ".3f") for kind in forms)), rows)


def draw_reliability(card: Mapping[str, Any]) -> Picture:
    """What was said against what was true, task by task, of the best form of the tagger."""
    figure, axes = canvas()
    axes.plot([0, 1], [0, 1], color="#9aa3a8", linewidth=1, linestyle="--")
    errors = []
    for task, figures in list(card["held_out"].values())[-1].items():
        calibration = figures["calibration"]
        points = [(bar["said"], bar["true"]) for bar in calibration["diagram"] if bar["count"] >= 20]
        axes.plot(*zip(*points, strict=True), marker="o", label=task)
        errors.append(f"{task} {calibration['error']:.3f}")
    axes.set_xlabel("probability that was given")
    axes.set_ylabel("share that was right")
    axes.legend(frameon=False)
    caption = (
        f"Reliability: points on the line are probabilities that can be believed. Mean distance: {', '.join(errors)}."
    )
    return Picture(
        "reliability", png(figure), f"Reliability diagram; expected calibration error {', '.join(errors)}", caption
    )
