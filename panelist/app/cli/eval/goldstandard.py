"""`panelist eval goldstandard`: models and published predictions against self-reported expertise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from panelist.app.cli.eval.results import DataOption, Figures, PageOptions, Resampling
from panelist.app.cli.options import option
from panelist.app.cli.output import origin, show_progress
from panelist.config import data_dir
from panelist.errors import InputError
from panelist.parameters import read_value, split_parameter

if TYPE_CHECKING:
    from eval.benchmarks.goldstandard.benchmark import GoldStandard
    from eval.benchmarks.goldstandard.predictions import Scored, System
    from eval.benchmarks.goldstandard.report import Summary

Group: TypeAlias = "tuple[dict[str, Scored], tuple[str, Scored]]"
"""Systems by name, and the name and the scores of the one that they are compared with."""


@dataclass(frozen=True)
class SystemOptions:
    """Which systems are scored, and in which table."""

    predictions: bool = option("Score the predictions that the benchmark's authors published.")
    scores: Path | None = option("Score this file: algorithm,dataset,regime,reviewer,paper,score; plain or .gz.")
    model: list[str] | None = option("Run and score this affinity model.")
    parameter: list[str] | None = option("NAME=VALUE of the models; with --select NAME=V1,V2.", "-p")
    select: bool = option("Choose among the systems without the participant being scored, one by one.")
    table: int = option("Which table of the paper to print.", default=3, min=3, max=9)
    figure2: Path | None = option("Draw the loss by the length of profiles into this .png, .svg or .pdf.")
    dataset: str = option("How profiles are made: d_20, d_full_1 … d_full_20, all.", default="d_20")
    regime: str = option("What is read of papers: t (titles), ta (also abstracts), f (all).", default="ta")
    baseline: str = option("Which system differences are taken from.", default="tpms")

    def groups(self, gold: GoldStandard) -> list[Group]:
        """Return the systems: those of Table 4 by who reads, others together."""
        from eval.benchmarks.goldstandard.benchmark import make_models, score_models
        from eval.benchmarks.goldstandard.predictions import REGIMES, read_predictions
        from eval.benchmarks.goldstandard.report import LENGTHS

        if self.table == 4:
            groups = []
            for name, texts in self.by_text(gold, LENGTHS[-1:]).items():
                group = {_label(name, text): scored for text, (scored,) in texts.items()}
                groups.append((group, (_label(name, REGIMES["ta"]), group[_label(name, REGIMES["ta"])])))
            return groups
        baseline, measured = self.baseline, {}
        if self.scores is not None:
            measured = self._named(read_predictions(self.scores, gold.ratings, {self.dataset}))
        if self.model:
            models = make_models(gold, self.model, self._grid(), self.regime)
            with show_progress("draws") as progress:
                measured |= score_models(gold, models, self.dataset, self.regime, progress)
        published = gold.published({self.dataset, "d_full_20"} if self.table == 5 else {self.dataset})
        released = {
            f"{name} (published)" if name in measured else name: scored
            for name, scored in self._named(published, self.predictions and self.table == 5).items()
        }
        systems = (released if self.predictions else {}) | measured
        if f"{baseline} (published)" in released:
            baseline = f"{baseline} (published)"
        if not systems and (self.predictions or self.scores):
            raise InputError(f"no scores of dataset '{self.dataset}' in regime '{self.regime}': use e.g. d_20 and ta")
        if not systems:
            raise InputError("nothing to score: give --predictions, --scores FILE or --model NAME")
        reference = (measured | released).get(baseline)
        if reference is None:
            raise InputError(f"unknown baseline '{baseline}': use one of {', '.join(systems)}")
        return [(systems, (baseline, reference))]

    def by_text(self, gold: GoldStandard, lengths: Sequence[int]) -> dict[str, dict[str, list[Scored]]]:
        """Score the published TPMS and the models, by what they read of papers, with profiles of these lengths."""
        from eval.benchmarks.goldstandard.benchmark import score_by_text

        with show_progress("draws") as progress:
            return score_by_text(gold, self.model or [], self._grid(), lengths, progress)

    def _named(self, published: dict[System, Scored], full_text: bool = False) -> dict[str, Scored]:
        """Return the systems of the dataset and the regime by name, perhaps with TPMS on full texts, as in Table 5."""
        from eval.benchmarks.goldstandard.predictions import System

        selection = (self.dataset, self.regime)
        named = {system.algorithm: scored for system, scored in published.items() if system[1:] == selection}
        if full_text:
            named["tpms full text"] = published[System("tpms", "d_full_20", "f")]
        return named

    def _grid(self) -> list[dict[str, Any]]:
        """Return all combinations of `NAME=V1,V2`; without --select a parameter has a single value, commas and all."""
        choices: dict[str, list[Any]] = {}
        for name, text in map(split_parameter, self.parameter or ()):
            choices[name] = [read_value(value) for value in (text.split(",") if self.select else [text])]
        return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]


def goldstandard(
    options: SystemOptions, data: DataOption = None, *, resampling: Resampling, page: PageOptions
) -> Figures:
    """Score systems by how they order papers, against what 58 researchers say of their own expertise.

    Prints the weighted Kendall-tau loss (lower is better) with 95% intervals from resampled participants, easy and
    hard triplets (--table 5) or measures of the top k (--table 6 … 9). --table 4 and --figure2 ask what should be read
    of a paper, and how many papers make a profile: of the published TPMS, as the paper does, and of every --model.

    Examples:
        panelist eval goldstandard --predictions
        panelist eval goldstandard --predictions --table 4 --markdown
        panelist eval goldstandard --model trivial --json
        panelist eval goldstandard --predictions --select
        panelist eval goldstandard --table 4 --model hybrid
        panelist eval goldstandard --figure2 figure2.png --model hybrid
        panelist eval goldstandard --predictions --model hybrid --report models/
    """
    from eval.benchmarks.goldstandard import report
    from eval.benchmarks.goldstandard.benchmark import GoldStandard
    from eval.benchmarks.goldstandard.predictions import REGIMES

    gold = GoldStandard(data or data_dir() / "goldstandard")
    if (options.figure2 is not None or options.table == 4) and (options.scores or options.select):
        raise InputError("Table 4 and Figure 2 are of the published TPMS and models: leave out --scores and --select")
    if options.figure2 is not None:
        return _figure2(gold, options.figure2, options)
    groups = options.groups(gold)
    baseline = REGIMES["ta"] if options.table == 4 else groups[0][1][0]
    summaries: dict[str, Summary] = {}
    figures: Any
    note = ""
    if options.select:
        ((systems, (_, reference)),) = groups
        selected = report.select_among(systems, reference, resampling.resamples, resampling.seed)
        summaries[f"chosen of {len(systems)}"] = selected.summary
        figures, note = selected.as_json(), selected.note()
    else:
        for systems, compared in groups:
            summaries |= report.summarise_all(systems, compared, resampling.resamples, resampling.seed)
        by_system = {name: report.as_json(summary) for name, summary in summaries.items()}
        figures = next(iter(by_system.values())) if len(by_system) == 1 else by_system
    if page.report is not None:
        participants = max(len(scored.ratings.participants) for systems, _ in groups for scored in systems.values())
        files = [*gold.root.glob("*.csv*"), *gold.root.glob("*.jsonl.gz"), *filter(None, [options.scores])]
        page.write(report.goldstandard_report(summaries, baseline, participants, origin(files)))
    if (cutoff := report.TABLES[options.table]) is not None:
        table = report.cutoff_table(summaries, cutoff, f"Gold standard, measures of the top {cutoff}")
    elif options.table == 5:
        table = report.triplet_table(summaries, "Gold standard, easy and hard triplets")
    else:
        table = report.loss_table(summaries, baseline, "Gold standard", note)
    return Figures(figures, [table])


def _label(name: str, text: str) -> str:
    """Name a model by what it reads, too; the published TPMS, without a name, by what it reads."""
    return f"{name}, {text}" if name else text


def _figure2(gold: GoldStandard, path: Path, options: SystemOptions) -> Figures:
    from eval.benchmarks.goldstandard.report import LENGTHS, length_table
    from eval.reports.figures import check_picture, plot_lines

    check_picture(path)
    curves = {
        _label(name, text): [scored.statistics()["loss"].value for scored in by_length]
        for name, texts in options.by_text(gold, LENGTHS).items()
        for text, by_length in texts.items()
    }
    plot_lines(path, LENGTHS, curves, "papers in a profile", "weighted Kendall-tau loss")
    return Figures({"lengths": LENGTHS, **curves}, [length_table(curves)])
