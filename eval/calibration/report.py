"""One self-contained HTML page about a calibration, for the people who decide: pictures inside, nothing to download."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from itertools import cycle

from eval.calibration import plots
from eval.calibration.acceptance import GREY_ZONE
from eval.calibration.summary import PaperRow, Summary
from eval.calibration.surface import Surface

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2933; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.lead { font-size: 1.1rem; } .note { background: #fff4e0; border-left: 4px solid #d97706; padding: .6rem .9rem; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(25rem, 1fr)); gap: 1.5rem; }
figure { margin: 0; } img { width: 100%; } figcaption { color: #52606d; font-size: .9rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th { text-align: left; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #e4e7eb; } td.n, th.n { text-align: right; }
summary { cursor: pointer; color: #2563a8; }
.bar { display: flex; height: 1.2rem; border-radius: 4px; overflow: hidden; margin-bottom: .6rem; }
td i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .5rem; }
"""
_COLOURS = ("#2563a8", "#c2410c", "#7a4fa3", "#5b7f3a")
_NOISE_COLOUR = "#c3c9d0"


def html_report(summary: Summary, surface: Surface | None = None, title: str = "Calibration of review scores") -> str:
    """The page; `surface` adds the picture of the likelihood."""
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
    figures = [_figure(png, captions[name]) for name, png in plots.draw_all(summary, surface).items()]
    grey = summary.grey_zone
    low, high = GREY_ZONE
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p class='lead'>{summary.reviews:,} reviews of {len(summary.papers):,} papers by "
        f"{len(summary.reviewers):,} reviewers. If {summary.accepted:,} papers are accepted, the scores decide all but "
        f"<strong>{len(grey):,}</strong>: those have a probability of acceptance between {low} and {high}.</p>",
        *(f"<p class='note'>{escape(_sentence(message))}</p>" for message in summary.messages),
        "<h2>What makes scores differ</h2>",
        _variances(summary),
        f"<p>Mean quality μ = {summary.mu:.4f}; −log likelihood {summary.nll:.3f}.</p>",
        f"<h2>Pictures</h2><div class='pictures'>{''.join(figures)}</div>",
        f"<h2>The grey zone: {len(grey):,} papers to discuss</h2>",
        _papers(grey, summary) if grey else "<p>No paper is in doubt.</p>",
        "<h2>All papers and reviewers</h2>",
        f"<details><summary>{len(summary.papers):,} papers, best first</summary>",
        _papers(summary.papers, summary),
        "</details>",
        f"<details><summary>{len(summary.reviewers):,} reviewers, lowest offset first</summary>",
        _table(("reviewer", "reviews", "offset", "± sd"), (
            (row.reviewer, f"{row.reviews}", f"{row.bias:+.3f}", f"{row.bias_sd:.3f}") for row in summary.reviewers
        )),
        "</details>",
        "<h2>How to read this</h2>",
        "<p>A score is taken as the paper's quality plus the reviewer's offset plus the reviewer's own opinion of this "
        f"paper. Calibration removes the offset. Papers are ranked by {_target_words(summary)}, the "
        f"{'lowest' if summary.lower_is_better else 'highest'} being the best; their probability of acceptance is the "
        f"share of {summary.samples:,} joint posterior samples (seed {summary.seed}) in which they are among the best "
        f"{summary.accepted:,}. It says what these scores can tell, not what the paper deserves.</p>",
    ]  # fmt: skip
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:] + "."


def _target_words(summary: Summary) -> str:
    return (
        "the mean of their calibrated review scores"
        if summary.target == "reviews"
        else "the quality that the model infers"
    )


def _variances(summary: Summary) -> str:
    """A bar of the shares of the variance, and its legend with the figures."""
    parts = [("quality of papers, α_f", summary.alpha_f), ("offsets of reviewers, α_b", summary.alpha_b)]
    parts += [(name, found["variance"]) for name, found in summary.covariates.items()]
    parts += [("opinion and noise, σ²", summary.sigma2)]
    total = sum(value for _, value in parts)
    coloured = [*zip(parts[:-1], cycle(_COLOURS), strict=False), (parts[-1], _NOISE_COLOUR)]
    spans = (f"<span style='width:{100 * value / total:.2f}%;background:{c}'></span>" for (_, value), c in coloured)
    rows = (
        f"<tr><td><i style='background:{c}'></i>{escape(name)}</td><td class='n'>{value:.4f}</td>"
        f"<td class='n'>{100 * value / total:.0f}%</td></tr>"
        for (name, value), c in coloured
    )
    head = "<tr><th></th><th class='n'>variance</th><th class='n'>share</th></tr>"
    return f"<div class='bar'>{''.join(spans)}</div><table>{head}{''.join(rows)}</table>"


def _papers(rows: Sequence[PaperRow], summary: Summary) -> str:
    reviews = summary.target == "reviews"
    head = ("paper", "reviews", "raw mean", "calibrated", "± sd", "P(accept)", "rank", "rank change")
    return _table(head, (
        (row.paper, f"{row.reviews}", f"{row.raw_mean:.2f}", f"{row.score if reviews else row.quality:.2f}",
         f"{row.score_sd if reviews else row.quality_sd:.2f}", f"{row.p_accept:.2f}", f"{row.rank}",
         f"{row.rank_change:+d}")
        for row in rows
    ))  # fmt: skip


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        kinds = ["", *[" class='n'"] * (len(cells) - 1)]
        inside = (f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True))
        return f"<tr>{''.join(inside)}</tr>"

    return f"<table>{line(head, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"


def _figure(png: bytes, caption: str) -> str:
    data = base64.b64encode(png).decode()
    picture = f"<img alt='{escape(caption)}' src='data:image/png;base64,{data}'>"
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"
