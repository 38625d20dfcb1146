"""The study of modelling choices on the gold standard: what is read of a paper, and how many papers make a profile.

Section 6.2, Table 4 and Figure 2 of Stelmakh et al. (https://arxiv.org/abs/2303.16750) ask both of TPMS; here they are
asked of every model. Papers with an open PDF only, profiles of the 1 … 20 most recent of them, five draws of the ties.
Beside these one question of our own: the 20 most recent papers (d_20) against the whole bibliography.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from eval.benchmarks.goldstandard.benchmark import WHOLE, GoldStandard
from eval.benchmarks.goldstandard.models import ModelScores, scored_row
from eval.benchmarks.goldstandard.predictions import DATASET, MEASURES, REGIMES, Scored, System
from eval.benchmarks.goldstandard.report import READ_LOSS, READ_TRIPLETS
from eval.benchmarks.goldstandard.tables import LENGTHS
from eval.measures.statistics import RESAMPLES, SEED
from eval.reports.figures import Picture, PlotLine, draw_lines
from eval.reports.leaderboard import BoardRow, Leaderboard, Source, draw_board
from eval.reports.page import Block, Prose, Report, Section
from eval.reports.table import Cell, Column, Table
from panelist.progress import Progress, silent
from panelist.words import counted

TPMS = "TPMS"
_SHOWN = (1, 2, 3, 5, 8, 10, 15, 20)

_TEXTS = (
    "Each model is shown once for every kind of text that it can read. Compare a model with itself: Δ in the table is "
    "the paired difference from the same model on titles and abstracts, and it is clear where its interval does not "
    "include 0. Longer texts cost more to fetch and to read; whether they are worth it is what Δ says."
)
_LENGTHS = (
    "A profile is made of a person's most recent papers. Where a curve has become flat, further papers add nothing: "
    "profiles may as well be that short. A curve that still falls at its right end says that more papers would help."
)
_BIBLIOGRAPHIES = (
    "Older papers may say what somebody no longer works on. Δ is the paired difference between profiles of everything "
    "a person has written and profiles of their 20 most recent papers, for the same model."
)

_Scores = Callable[[str, str], Scored | str]
"""The scores of a system by dataset and regime, or why there are none."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The loss of a system over the lengths of profiles, for one thing that it reads."""

    system: str
    text: str
    losses: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Study:
    """All that was asked: Table 4 (`texts`), Figure 2 (`curves` over `lengths`), recent papers against all."""

    texts: Leaderboard
    lengths: tuple[int, ...]
    curves: tuple[Curve, ...]
    bibliographies: Leaderboard

    def curve_table(self) -> Table:
        """Figure 2 as a table, at some of the lengths."""
        shown = [length for length in _SHOWN if length in self.lengths]
        rows: list[tuple[Cell, ...]] = [
            (f"{curve.system}, {curve.text}", *(curve.losses[self.lengths.index(length)] for length in shown))
            for curve in self.curves
        ]
        columns = (Column("papers in a profile"), *(Column(str(length), ".3f") for length in shown))
        return Table("Loss by the number of most recent papers in a profile", columns, tuple(rows), "Lower is better.")


def study(
    gold: GoldStandard,
    models: Sequence[str],
    lengths: Sequence[int] = LENGTHS,
    regimes: Sequence[str] = tuple(REGIMES),
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = silent,
) -> Study:
    """Ask every model, and the published TPMS, what the paper asks of TPMS.

    A profile of 20 papers and the reading of titles and abstracts, which Table 4 needs, are always among the `lengths`
    and `regimes`.
    """
    read = [regime for regime in REGIMES if regime in (*regimes, "ta")]
    lengths = tuple(sorted({*lengths, LENGTHS[-1]}))
    published = gold.published()
    systems: dict[str, tuple[Source, _Scores]] = {
        TPMS: ("predictions", lambda dataset, regime: published[System("tpms", dataset, regime)])
    }
    for name in models:
        systems[f"Panelist {name}"] = "panelist", ModelScores(gold, name, progress)
    texts: list[BoardRow] = []
    curves: list[Curve] = []
    for system, (source, scores) in systems.items():
        by_regime = {regime: [scores(f"d_full_{length}", regime) for length in lengths] for regime in read}
        texts += _text_rows(system, source, {regime: of[-1] for regime, of in by_regime.items()}, resamples, seed)
        for regime, of in by_regime.items():
            scored = [scores for scores in of if isinstance(scores, Scored)]
            if len(scored) == len(lengths):
                losses = tuple(one.statistics()["loss"].value for one in scored)
                curves.append(Curve(system, REGIMES[regime], losses))
    note = "Weighted Kendall-tau loss, lower is better; 57 participants, papers with an open PDF."
    title = "What is read of a paper: profiles of 20"
    board = Leaderboard(title, MEASURES, "the same model on titles and abstracts", tuple(texts), note)
    ours = {system: scores for system, (source, scores) in systems.items() if source == "panelist"}
    return Study(board, lengths, tuple(curves), _bibliographies(ours, resamples, seed))


def _text_rows(
    system: str, source: Source, scored: dict[str, Scored | str], resamples: int, seed: int
) -> list[BoardRow]:
    """A row for each thing that is read; one for all where the model cannot run at all."""
    reasons = {entry for entry in scored.values() if isinstance(entry, str)}
    if len(reasons) == 1 and all(isinstance(entry, str) for entry in scored.values()):
        return [BoardRow(system, source, note=reasons.pop())]
    reference = scored["ta"].statistics() if isinstance(scored["ta"], Scored) else None
    return [
        scored_row(f"{system}, {REGIMES[regime]}", source, one, None if regime == "ta" else reference, resamples, seed)
        for regime, one in scored.items()
    ]


def _bibliographies(models: Mapping[str, _Scores], resamples: int, seed: int) -> Leaderboard:
    rows = []
    for system, scores in models.items():
        recent = scores(DATASET, "ta")
        if isinstance(recent, str):
            rows.append(BoardRow(system, "panelist", note=recent))
            continue
        rows.append(scored_row(f"{system}, 20 most recent", "panelist", recent, None, resamples, seed))
        rows.append(scored_row(f"{system}, all", "panelist", scores(WHOLE, "ta"), recent.statistics(), resamples, seed))
    note = "Weighted Kendall-tau loss, lower is better; 58 participants with 2 to 492 papers."
    title = "The 20 most recent papers against all: titles and abstracts"
    return Leaderboard(title, MEASURES, "the same model on the 20 most recent", tuple(rows), note)


def study_report(study: Study, made: Mapping[str, str]) -> Report:
    """The page about a study; `made` says how, fact by fact."""
    systems = {curve.system for curve in study.curves}
    lead = (
        f"What should a model that matches papers with reviewers read of a paper, and how many papers make a profile? "
        f"Asked of {counted(len(systems), 'system')}, each of which is compared with itself, by what researchers said "
        "of their own expertise."
    )
    texts, whole = study.texts, study.bibliographies
    reading: tuple[Block, ...] = (Prose(_TEXTS), Prose(READ_LOSS), Prose(READ_TRIPLETS))
    sections = (
        Section(texts.title, (*draw_board("texts", texts), *reading, texts.table(*texts.measures))),
        Section("How many papers make a profile", (*_curves(study), Prose(_LENGTHS), study.curve_table())),
        Section(
            whole.title, (*draw_board("bibliographies", whole), Prose(_BIBLIOGRAPHIES), whole.table(*whole.measures))
        ),
    )
    return Report("Modelling choices", lead, sections, made)


def _curves(study: Study) -> list[Picture]:
    """A picture for each thing that is read: in one picture the curves could not be distinguished."""
    pictures = []
    for number, text in enumerate(dict.fromkeys(curve.text for curve in study.curves), 1):
        lines = {curve.system: PlotLine(curve.losses) for curve in study.curves if curve.text == text}
        caption = f"Loss by the number of most recent papers in a profile; read of each: {text}. Lower is better."
        axes = "papers in a profile", "weighted Kendall-tau loss"
        pictures.append(draw_lines(f"lengths-{number}", study.lengths, lines, *axes, caption))
    return pictures
