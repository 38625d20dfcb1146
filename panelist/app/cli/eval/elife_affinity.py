"""`panelist eval elife-affinity`: affinity models on eLife's real reviewers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eval.reports.table import table_of
from panelist.app.cli.eval.results import DataOption, Figures, PageOptions, Resampling
from panelist.app.cli.options import option
from panelist.app.cli.output import origin, show_progress
from panelist.config import data_dir
from panelist.errors import InputError
from panelist.progress import followed

if TYPE_CHECKING:
    from eval.benchmarks.elife.benchmark import ELife
    from retriever.affinity.model import BlockModel


def elife_affinity(
    model: list[str] = option("Affinity model, perhaps with parameters: dense:pooling=max."),
    profile_size: int = option("The most recent papers that make up a profile.", default=20, min=1),
    committee: int | None = option("Only people with at least N papers, as on a committee; adds the AUC.", min=1),
    references: bool = option("With --committee: each model also with what the papers cite."),
    history: bool = option("With --committee: each also with who reviewed before; papers received from June 2019 on."),
    measures: str = option("What to measure, without --committee.", "-m", default="recall@10,recall@100,ndcg@10,mrr"),
    data: DataOption = None,
    *,
    resampling: Resampling,
    page: PageOptions,
) -> Figures:
    """Rank all authors of the eLife papers up to 2018 for those of 2019 and 2020: do real reviewers come first?

    `length` is Spearman's correlation between an author's mean score and number of papers: the reward of a long
    profile as such. With --committee, `auc` is how often a real reviewer scores above somebody else, and `auc alike`
    the same against people with about as many papers; intervals and differences are over queries, from the first model,
    or from the row without a history.

    Examples:
        panelist eval elife-affinity --model hybrid
        panelist eval elife-affinity --model hybrid --model hybrid:pooling=max --model hybrid:breadth=0 --json
        panelist eval elife-affinity --model hybrid --model bm25 --report models/
        panelist eval elife-affinity --committee 4 --model hybrid --model hybrid:fill=0,breadth=0.5
        panelist eval elife-affinity --committee 4 --model hybrid --references --history
    """
    from eval.benchmarks.elife.affinity import rank
    from eval.benchmarks.elife.benchmark import ELife
    from eval.measures.ranking import parse_measures
    from retriever.affinity.model import affinity_model, parse_model

    chosen = parse_measures(measures)
    models: dict[str, BlockModel] = {}
    for text in model:
        name, parameters = parse_model(text)
        if name == "llm":
            raise InputError("model 'llm' cannot rank all authors: use hybrid, dense, bm25 or tpms")
        models[text] = affinity_model(name, **parameters)
    root = data or data_dir() / "elife"
    benchmark = ELife.read(root, references=references, history=history)
    if (references or history) and committee is None:
        raise InputError(f"{'--references' if references else '--history'} needs --committee")
    if committee is not None:
        if page.report is not None:
            raise InputError("--report shows the ranking of all authors: leave out --committee")
        return _committee(benchmark, models, committee, profile_size, resampling, (references, history))
    queries = benchmark.judged("reviewers")
    reviewed = ELife(benchmark.collection, benchmark.queries, {"reviewers": benchmark.qrels["reviewers"]})
    figures, rankings = {}, {}
    with show_progress("models") as progress:
        for text, scorer in followed(models.items(), progress, "ranking"):
            ranked = rank(reviewed, scorer, queries, profile_size)
            figures[text] = {**reviewed.score_run(ranked.run, chosen)["reviewers"], "length": ranked.length_correlation}
            rankings[text] = reviewed.admitted(ranked.run)["reviewers"]
    columns = ("model", *map(str, chosen), ("length", ".3f"))
    rows = ((text, *(result[str(m)] for m in chosen), result["length"]) for text, result in figures.items())
    title = f"eLife, {len(queries):,} papers and their real reviewers among {len(benchmark.candidates()):,} authors"
    table = table_of(title, columns, rows)
    if page.report is not None:
        from eval.reports.rankings import ranking_report

        qrels = reviewed.qrels["reviewers"]
        runs = {text: (qrels, run) for text, run in rankings.items()}
        facts = origin([root / "works", root / "qrels.dev.reviewers.txt"])
        lead = (
            f"Every author of eLife's papers up to 2018 was scored for {len(queries):,} papers of 2019 and 2020, of "
            "which it is known who reviewed them."
        )
        title, answers = "Affinity models on eLife's real reviewers", "those who really reviewed"
        page.write(ranking_report(title, lead, table, runs, chosen, facts, right=answers))
    return Figures(figures, [table])


def _committee(
    benchmark: ELife,
    models: dict[str, BlockModel],
    least: int,
    size: int,
    resampling: Resampling,
    knowledge: tuple[bool, bool],  # whether references are, and whether a history is
) -> Figures:
    """Measure the models on people with at least `least` papers."""
    from eval.benchmarks.elife.affinity import JudgedCommittee
    from eval.benchmarks.elife.history import SINCE
    from eval.measures.statistics import bootstrap_figures, resampling_counts

    references, history = knowledge
    committee = JudgedCommittee.of(benchmark, least, size, SINCE if history else None)
    gains = committee.history(benchmark) if history else None
    evidence_by_suffix = {"": (False, None), " + references": (True, None), " + history": (False, gains)}
    evidence_by_suffix[" + references + history"] = (True, gains)
    models = {
        text + suffix: model if suffix == "" else committee.with_evidence(model, *evidence)
        for suffix, evidence in evidence_by_suffix.items()
        if (references or "references" not in suffix) and (history or "history" not in suffix)
        for text, model in models.items()
    }
    counts = resampling_counts(len(committee.queries), resampling.resamples, resampling.seed)
    with show_progress("models") as progress:
        statistics = {
            text: committee.statistics(model.prepare(committee.queries, committee.profiles))
            for text, model in followed(models.items(), progress, "scoring")
        }
    baseline = next(iter(statistics))
    against = {text: text.removesuffix(" + history") if " + history" in text else baseline for text in statistics}
    by_model = {
        text: bootstrap_figures(result, statistics[against[text]], counts) for text, result in statistics.items()
    }
    names = list(dict.fromkeys(name for result in statistics.values() for name in result))
    compared = ("auc", "recall@10")
    rows = (
        (
            text,
            *(result[name].value if name in result else None for name in names),
            *(cell for name in compared for cell in (result[name].delta, result[name].delta_interval)),
        )
        for text, result in by_model.items()
    )
    differences = (column for name in compared for column in ((f"Δ {name}", "+.4f"), ("95% interval", "+.4f")))
    title = f"eLife, {len(committee.queries):,} papers and their reviewers among {len(committee.people):,} people"
    note = f"People with at least {least} papers. Differences are from {baseline}"
    note += ", with a history from the row without it." if history else "."
    numbers = {"queries": len(committee.queries), "people": len(committee.people)}
    table = table_of(title, ("model", *names, *differences), rows, note)
    return Figures({**numbers, "models": by_model}, [table])
