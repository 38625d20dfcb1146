"""A report on the gold standard, for a program chair who has to choose a model."""

from collections.abc import Mapping
from math import nan

from eval.benchmarks.goldstandard.tables import TABLES, Summary, cutoff_table, loss_table, triplet_table
from eval.reports.figures import draw_intervals
from eval.reports.page import Folded, Prose, Report, Section
from panelist.words import counted

READ_LOSS = (
    "Each researcher said of papers they had read how well they could have reviewed them. The loss looks at pairs of "
    "papers of one researcher that a model puts in the wrong order, each counted by how far apart the researcher's own "
    "answers are: 0 is perfect, 0.5 is tossing a coin. Further left is better. The bar is a 95% interval: had other "
    "researchers of the same kind been asked, the figure could well have come out anywhere along it. Where the bars of "
    "two models overlap widely, do not choose between them by this figure; the paired difference Δ in the table, which "
    "compares them on the same people, is the sharper test: it is clear where its interval does not include 0."
)
READ_TRIPLETS = (
    "An easy decision is between a paper that the researcher could review very well and one far from their work; a "
    "hard one is between two papers that they could both review, one of them better. The figure is the share of "
    "decisions that a model gets right, so further right is better; half is tossing a coin, and equal scores are never "
    "right. A model that is good at easy decisions keeps papers from people who do not know the field; one that is "
    "good at hard ones finds the best among the experts."
)
_KINDS = ("easy", "hard")
_TOP = (
    "Here only the papers count that a researcher would be given first. WKTD is the loss of those pairs, lower is "
    "better; of MRR, NDCG and precision, higher is better."
)


def goldstandard_report(
    summaries: Mapping[str, Summary], baseline: str, participants: int, made: Mapping[str, str]
) -> Report:
    """The page about systems and their summaries, of `summarise_all`; `made` says how, fact by fact."""
    ordered = sorted(summaries.items(), key=lambda pair: pair[1]["loss"].value)
    summaries, (best, figures) = dict(ordered), ordered[0]
    low, high = figures["loss"].interval or (nan, nan)
    lead = (
        f"{counted(len(summaries), 'system')} for matching papers with reviewers, judged by what "
        f"{counted(participants, 'researcher')} said of their own expertise. "
        f"{'Its loss is' if len(summaries) == 1 else f'{best} has the lowest loss:'} "
        f"{figures['loss'].value:.3f}, with a 95% interval from {low:.3f} to {high:.3f}."
    )
    deciding = {name: of for name, of in summaries.items() if of["easy"].value or of["hard"].value} or summaries
    accuracy = {f"{kind} decisions right": {name: of[kind] for name, of in deciding.items()} for kind in _KINDS}
    silent = "".join(f" Not drawn, since it decides nothing: {name}." for name in summaries if name not in deciding)
    tops = (
        Folded(f"Measures of the top {k}", cutoff_table(summaries, k, "")) for k in TABLES.values() if k is not None
    )
    sections = (
        Section(
            "How much each system gets wrong",
            (
                draw_intervals(
                    "loss",
                    {"weighted Kendall-tau loss (lower is better)": {name: of["loss"] for name, of in ordered}},
                    f"Loss with 95% intervals.{f' The dashed line is {baseline}.' if baseline in summaries else ''}",
                    baseline,
                ),
                Prose(READ_LOSS),
                loss_table(summaries, baseline, ""),
            ),
        ),
        Section(
            "Easy and hard decisions",
            (
                draw_intervals(
                    "triplets", accuracy, f"Share of decisions in the right order, with 95% intervals.{silent}"
                ),
                Prose(READ_TRIPLETS),
                triplet_table(summaries, ""),
            ),
        ),
        Section("The top of the list", (Prose(_TOP), *tops)),
    )
    return Report("Gold standard of reviewing expertise", lead, sections, made)
