"""A report on the study of modelling choices: what a model should read of a paper, and how many papers."""

from __future__ import annotations

from collections.abc import Mapping

from eval.benchmarks.goldstandard.report import READ_LOSS, READ_TRIPLETS
from eval.benchmarks.goldstandard.study import Study
from eval.reports.figures import Line, Picture, draw_lines
from eval.reports.leaderboard import draw_board
from eval.reports.page import Block, Report, Section, Text
from panelist.words import counted

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


def study_report(study: Study, made: Mapping[str, str]) -> Report:
    """The page about a study; `made` says how, fact by fact."""
    systems = {curve.system for curve in study.curves}
    lead = (
        f"What should a model that matches papers with reviewers read of a paper, and how many papers make a profile? "
        f"Asked of {counted(len(systems), 'system')}, each of which is compared with itself, by what researchers said "
        "of their own expertise."
    )
    texts, whole = study.texts, study.bibliographies
    reading: tuple[Block, ...] = (Text(_TEXTS), Text(READ_LOSS), Text(READ_TRIPLETS))
    sections = (
        Section(texts.title, (*draw_board("texts", texts), *reading, texts.table(*texts.measures))),
        Section("How many papers make a profile", (*_curves(study), Text(_LENGTHS), study.curve_table())),
        Section(
            whole.title, (*draw_board("bibliographies", whole), Text(_BIBLIOGRAPHIES), whole.table(*whole.measures))
        ),
    )
    return Report("Modelling choices", lead, sections, made)


def _curves(study: Study) -> list[Picture]:
    """A picture for each thing that is read: in one picture the curves could not be distinguished."""
    pictures = []
    for number, text in enumerate(dict.fromkeys(curve.text for curve in study.curves), 1):
        lines = {curve.system: Line(curve.losses) for curve in study.curves if curve.text == text}
        caption = f"Loss by the number of most recent papers in a profile; read of each: {text}. Lower is better."
        axes = "papers in a profile", "weighted Kendall-tau loss"
        pictures.append(draw_lines(f"lengths-{number}", study.lengths, lines, *axes, caption))
    return pictures
