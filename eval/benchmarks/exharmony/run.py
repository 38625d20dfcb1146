"""An exHarmony benchmark from end to end: index its collection, ask every method, measure, keep the runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.benchmarks.exharmony.benchmark import ESTABLISHED, ExHarmony
from eval.benchmarks.exharmony.methods import METHODS, Answers, method, unable
from eval.benchmarks.exharmony.pool import Pool
from eval.benchmarks.exharmony.results import Results, evaluate
from eval.benchmarks.lookup import benchmark_workspace, prepare
from eval.runs import Run
from eval.trec import read_run, write_run
from indexing.encoders import DEFAULT_ENCODER
from panelist.errors import InputError
from panelist.extras import require
from panelist.files import check_directory, replacing
from panelist.progress import Progress
from panelist.records import Paper
from panelist.workspace import Workspace
from retriever.finder import Finder

Answered = list[tuple[str, str, Run | str]]


@dataclass(frozen=True, slots=True)
class MethodsPlan:
    """What is compared: methods, each of which must be able to answer (None: all, as far as they are), and runs.

    Without a dense method nothing is encoded. The collection is indexed in `workspace`, by default in the user's cache;
    each run is written to the directory `keep`, if any; `queries` asks a random sample.
    """

    methods: Sequence[str] | None = None
    files: Sequence[Path] = ()
    encoder: str = DEFAULT_ENCODER
    engine: str = "lucene"
    workspace: Path | None = None
    keep: Path | None = None
    queries: int | None = None
    seed: int = 0

    def names(self) -> list[str]:
        """The methods to ask, each once.

        Raises:
            InputError: there is no such method, or one that was asked for cannot answer.
        """
        if self.methods is None:
            return list(METHODS)
        names = list(dict.fromkeys(self.methods))
        for name in names:
            method(name)
            if reason := unable(name, self.engine):
                raise InputError(f"method '{name}' cannot be run: {reason}")
        return names


def compare(benchmark: ExHarmony, plan: MethodsPlan, progress: Progress) -> Results:
    """Ask and measure all methods and runs of a plan; the first of them is what the others are compared with.

    Raises:
        InputError: a method cannot answer, a run of another system is wrong (its line is named), or runs cannot be
            written.
    """
    require("a measure of rankings", "ranx")
    names = plan.names()
    if plan.keep is not None:
        check_directory(plan.keep)
    collection = benchmark.collection()
    pool = Pool.of(collection)
    queries = {query.id for query in benchmark.queries}  # all queries: a file may answer more than a sample
    if plan.queries is not None:
        benchmark = benchmark.sample(plan.queries, plan.seed)
    answered: Answered = []
    for path in plan.files:  # first: an error in them shows at once
        answered.append((path.name, path.name, read_run(path, queries=queries, documents=pool.number)))
    refused: dict[str, dict[str, str]] = {}
    if names:
        answers, refused = _ask(benchmark, collection, names, plan, progress)
        answered = answers + answered
    if plan.keep is not None:
        for name, _, run in answered:
            if isinstance(run, Run) and name in METHODS:
                with replacing(plan.keep / f"{name}.run.gz") as part:
                    write_run(run, part)
    return evaluate(benchmark, pool, answered, refused)


def _ask(
    benchmark: ExHarmony, collection: Sequence[Paper], names: Sequence[str], plan: MethodsPlan, progress: Progress
) -> tuple[Answered, dict[str, dict[str, str]]]:
    """The answers of the methods, and which judgements are not to be used for which of them."""
    manifest = benchmark.manifest
    default = benchmark_workspace(f"exharmony-{manifest.corpus[:12]}-{manifest.since}-{plan.engine}")
    workspace = Workspace((plan.workspace or default).absolute())
    encoder = plan.encoder if any(method(name).encodes for name in names) else None
    prepare(workspace, collection, progress, engine=plan.engine, encoder=encoder)
    answered: Answered = []
    refused: dict[str, dict[str, str]] = {}
    with Finder.open(workspace) as finder:
        identity = finder.index.manifest.encoder
        answers = Answers(benchmark, collection, finder, progress)
        for name in names:
            chosen = method(name)
            run = unable(name, plan.engine) or answers.run(name)
            answered.append((name, chosen.label.format(encoder=Path(identity.name).name), run))
            if chosen.encodes and manifest.similarity.favours(identity.name, identity.revision):
                reason = f"the same encoder, {manifest.similarity.method}, chose who is right"
                refused[name] = {"simcite": reason, f"simcite{ESTABLISHED}": reason}
    return answered, refused
