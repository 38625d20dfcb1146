"""One self-contained HTML page about a calibration, for the people who decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle

from eval.calibration import plots
from eval.calibration.acceptance import GREY_ZONE
from eval.calibration.summary import PaperRow, ReviewerRow, Summary
from eval.calibration.surface import Surface
from eval.reports.figures import Picture
from eval.reports.page import Folded, Report, Section, Text
from eval.reports.table import Column, Table
from panelist.words import counted

_COLOURS = ("#2563a8", "#c2410c", "#7a4fa3", "#5b7f3a")
_NOISE_COLOUR = "#c3c9d0"


def html_report(summary: Summary, surface: Surface | None = None, title: str = "Calibration of review scores") -> str:
    """The page; `surface` adds the picture of the likelihood."""
    grey = summary.grey_zone
    low, high = GREY_ZONE
    lead = (
        f"{summary.reviews:,} reviews of {len(summary.papers):,} papers by {len(summary.reviewers):,} reviewers. "
        f"If {summary.accepted:,} papers are accepted, the scores decide all but {len(grey):,}: those have a "
        f"probability of acceptance between {low} and {high}."
    )
    reading = (
        "A score is taken as the paper's quality plus the reviewer's offset plus the reviewer's own opinion of this "
        f"paper. Calibration removes the offset. Papers are ranked by {_target_words(summary)}, the "
        f"{'lowest' if summary.lower_is_better else 'highest'} being the best; their probability of acceptance is the "
        f"share of {summary.samples:,} joint posterior samples (seed {summary.seed}) in which they are among the best "
        f"{summary.accepted:,}. It says what these scores can tell, not what the paper deserves."
    )
    sections = (
        Section(
            "What makes scores differ",
            (
                *(Text(_sentence(message), "warning") for message in summary.messages),
                _Variances(summary),
                Text(f"Mean quality μ = {summary.mu:.4f}; −log likelihood {summary.nll:.3f}."),
            ),
        ),
        Section("Pictures", pictures(summary, surface)),
        Section(
            f"The grey zone: {counted(len(grey), 'paper')} to discuss",
            (paper_table(grey, summary) if grey else Text("No paper is in doubt."),),
        ),
        Section(
            "All papers and reviewers",
            (
                Folded(f"{counted(len(summary.papers), 'paper')}, best first", paper_table(summary.papers, summary)),
                Folded(
                    f"{counted(len(summary.reviewers), 'reviewer')}, lowest offset first",
                    reviewer_table(summary.reviewers),
                ),
            ),
        ),
        Section("How to read this", (Text(reading),)),
    )
    return Report(title, lead, sections).html()


def pictures(summary: Summary, surface: Surface | None = None) -> tuple[Picture, ...]:
    """Every picture with how to read it."""
    captions = {
        "raw_against_calibrated": "Each paper's raw mean against its calibrated score. Above the line: its reviewers "
        "give lower scores than others do; below: higher ones."
        + (" Quality is also drawn towards the mean where reviews are few." if summary.target == "quality" else ""),
        "acceptance": f"How sure the acceptance of {summary.accepted:,} papers is. Papers outside the shaded zone are "
        "decided by the scores; those inside are not.",
        "biases": "Offsets of reviewers: how far their scores lie above (+) or below (−) those of others on the same "
        "papers, with 95% intervals.",
        "surface": "The likelihood over both variance ratios: points within 3 of the minimum make up a 95% region.",
    }
    clear = sum(abs(row.bias) > 1.96 * row.bias_sd for row in summary.reviewers)
    seen = {
        "raw_against_calibrated": f"Points of {len(summary.papers):,} papers about a diagonal.",
        "acceptance": f"Histogram of the probability of acceptance; {len(summary.grey_zone):,} papers are in the zone.",
        "biases": f"Offsets of {len(summary.reviewers):,} reviewers in order; {clear:,} have an interval without 0.",
        "surface": "Contours of the likelihood with its best point.",
    }
    drawn = plots.draw_all(summary, surface)
    return tuple(Picture(name, png, seen[name], captions[name]) for name, png in drawn.items())


def paper_table(rows: Sequence[PaperRow], summary: Summary) -> Table:
    """Papers before and after."""
    reviews = summary.target == "reviews"
    columns = (
        Column("paper"), Column("reviews", "d"), Column("raw mean", ".2f"), Column("calibrated", ".2f"),
        Column("± sd", ".2f"), Column("P(accept)", ".2f"), Column("rank", "d"), Column("rank change", "+d"),
    )  # fmt: skip
    cells = tuple(
        (row.paper, row.reviews, row.raw_mean, row.score if reviews else row.quality,
         row.score_sd if reviews else row.quality_sd, row.p_accept, row.rank, row.rank_change)
        for row in rows
    )  # fmt: skip
    return Table("", columns, cells)


def reviewer_table(rows: Sequence[ReviewerRow]) -> Table:
    """Reviewers and their offsets."""
    columns = (Column("reviewer"), Column("reviews", "d"), Column("offset", "+.3f"), Column("± sd", ".3f"))
    return Table("", columns, tuple((row.reviewer, row.reviews, row.bias, row.bias_sd) for row in rows))


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:] + "."


def _target_words(summary: Summary) -> str:
    return (
        "the mean of their calibrated review scores"
        if summary.target == "reviews"
        else "the quality that the model infers"
    )


@dataclass(frozen=True, slots=True)
class _Variances:
    """A bar of the shares of the variance, and its legend with the figures."""

    summary: Summary

    def html(self) -> str:
        summary = self.summary
        parts = [("quality of papers, α_f", summary.alpha_f), ("offsets of reviewers, α_b", summary.alpha_b)]
        parts += [(name, found["variance"]) for name, found in summary.covariates.items()]
        parts += [("opinion and noise, σ²", summary.sigma2)]
        total = sum(value for _, value in parts)
        coloured = [*zip(parts[:-1], cycle(_COLOURS), strict=False), (parts[-1], _NOISE_COLOUR)]
        spans = (f'<span style="width:{100 * value / total:.2f}%;background:{c}"></span>' for (_, value), c in coloured)
        rows = (
            f'<tr><th scope="row"><i class="swatch" style="background:{c}"></i>{escape(name)}</th>'
            f"<td>{value:.4f}</td><td>{100 * value / total:.0f}%</td></tr>"
            for (name, value), c in coloured
        )
        head = '<tr><th></th><th scope="col">variance</th><th scope="col">share</th></tr>'
        table = f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
        return f'<div class="bar">{"".join(spans)}</div><div class="table">{table}</div>'
