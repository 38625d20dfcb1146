"""`panelist train acl` and `biencoder`: encoders that learn from the papers of a corpus."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer

from eval.reports.table import table_of
from panelist.app.cli.options import WorkspaceOption, argument, encoder_name, option
from panelist.app.cli.output import Answer, note, show_progress
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Paper
from panelist.words import counted
from panelist.workspace import Workspace


def acl(
    corpus: list[Path] | None = argument(
        "OpenAlex works: files (.jsonl, .gz) or directories of parts [default: the workspace's corpus]."
    ),
    workspace: WorkspaceOption = None,
    out: Path | None = option("Folder of the model [default: in the user's cache].", "-o"),
    vocabulary: int = option("Subwords to learn; small corpora want fewer.", default=20_000, min=10),
    dimension: int = option("Length of a vector.", default=1_024, min=1),
    epochs: int = option("How often every abstract is read.", default=20, min=1),
    batch: int = option("Abstracts that serve as each other's negatives.", default=64, min=2),
    margin: float = option("How much nearer than others the right half is to be.", default=0.4, min=0),
    rate: float = option("Learning rate.", default=0.001, min=1e-9, max=1),
    seed: int = option("The same seed gives the same model.", default=0, min=0),
) -> Answer:
    """Train the affinity model `acl` on the abstracts of papers: subword vectors, as the ACL matches reviewers.

    The same command resumes a training that was interrupted. The result serves
    `panelist affinity --model acl`; one in another folder is named by `-p folder=FOLDER`.

    Examples:
        panelist train acl anthology/works
        panelist train acl --workspace biology.workspace --out biology.acl
        panelist train acl works.jsonl.gz --vocabulary 5000 --epochs 10 --json
    """
    from indexing.encoders.acl import acl_folder
    from indexing.training.acl import AclSettings, train_acl

    if corpus and workspace:
        raise InputError("give files of papers or --workspace, not both")
    settings = AclSettings(vocabulary, dimension, margin, batch, epochs, rate, seed)
    with show_progress("abstracts") as progress:
        abstracts: list[str] = []
        for paper in _papers(corpus, workspace):
            abstracts.append(paper.abstract)
            if len(abstracts) % 1_000 == 0:
                progress("reading papers", len(abstracts), 0)
        try:
            trained = train_acl(abstracts, out or acl_folder(), settings, progress)
        except KeyboardInterrupt:
            note("interrupted: run the same command again to resume after the last whole epoch")
            raise
    resumed = [f"continued after epoch {trained.continued}"] if trained.continued else []
    learned = f"learned from {trained.abstracts:,} abstracts, loss {trained.losses[-1]:.4f}"
    result = {**asdict(trained), "folder": str(trained.folder)}
    return Answer(result, [*resumed, f"{learned}; it is in {trained.folder}"])


def _papers(corpus: list[Path] | None, workspace: Path | None) -> Iterator[Paper]:
    from panelist.corpus.readers import openalex

    if corpus:
        report = ReadReport()
        yield from openalex.read(corpus, report)
        if report.rejected:
            note(f"skipped {counted(report.rejected, 'line')}, the first: {report.rejections[0]}")
        return
    with Workspace.at(workspace).open_corpus() as store:
        yield from store.iter_papers()


@dataclass(frozen=True)
class TrainingOptions:
    """How the encoder learns: the fields of `indexing.training.biencoder.BiencoderTraining`."""

    papers: int | None = option("Papers to learn from, drawn at random [default: all].")
    epochs: int = option("How often each paper is seen.", default=1)
    steps: int | None = option("Batches to learn from, instead of --epochs.", min=1)
    batch: int = option("Queries in a batch: titles, or papers.", default=16)
    negatives: int = option("Hard negatives of each query.", default=1)
    depth: int = option("They are drawn from this many of BM25's best.", default=100)
    rate: float = option("Highest learning rate.", default=2e-5)
    warmup: float = option("Part of the steps in which the learning rate rises.", default=0.1)
    tokens: int = option("Longer texts are cut, in training only.", default=128)
    held_out: int = option("Papers kept aside to judge the model by.", default=200)
    checkpoint: int = option("Steps between two checkpoints.", default=100)
    seed: int = option("Seed of everything random.", default=0, min=0)


def biencoder(
    out: Path = argument("Folder to write the model to; it must not exist."),
    workspace: WorkspaceOption = None,
    encoder: str | None = option("Model to start from: a name or a folder [default: all-MiniLM-L6-v2]."),
    until: int | None = option("Learn only from papers of this year or before."),
    pairs: str = option("Pairs: titles and their abstracts, or papers linked by references.", default="titles"),
    *,
    training: TrainingOptions,
    threads: int | None = option("Processors to use [default: all].", min=1),
) -> Answer:
    """Fine-tune an encoder so that a title finds its abstract, or a paper those it shares references with.

    Each is set against its own, those of the others in its batch, and hard negatives: texts that BM25 ranks high for
    it and that do not belong to it. Papers held out show whether it helped. The resulting folder can be named
    wherever an encoder can. The same command resumes a training that was interrupted.

    Examples:
        panelist train biencoder models/mine
        panelist train biencoder models/mine --until 2018 --papers 2000 --workspace biology.workspace
        panelist train biencoder models/mine --pairs references
        panelist index build --encoder models/mine
    """
    from indexing.training.biencoder import BiencoderTraining
    from indexing.training.pairs import title_pairs
    from indexing.training.references import reference_pairs

    builders = {"titles": title_pairs, "references": reference_pairs}
    if pairs not in builders:
        raise InputError(f"--pairs is {' or '.join(builders)}, received '{pairs}'; how many papers: --papers")
    trainer = BiencoderTraining(encoder=encoder_name(encoder), **asdict(training))
    with Workspace.at(workspace).open_corpus() as corpus:
        texts = builders[pairs](corpus.iter_papers(), until)
    try:
        with show_progress() as progress:
            record = trainer.train(texts, out, progress, threads=threads)
    except KeyboardInterrupt:
        note("interrupted: the same command goes on from here")
        raise typer.Exit(130) from None
    return Answer({"model": str(out), **record}, _parts(out, record))


def _parts(out: Path, record: dict[str, Any]) -> list[Any]:
    held_out = record["held_out"]
    moments = ((name, held_out[name]) for name in ("before", "after"))
    rows = ((name, result["mrr"], result["recall_at_1"]) for name, result in moments)
    query, document = ("titles", "abstracts") if record["pairs"] == "titles" else ("papers", "others")
    loss, last_loss = record["loss"][0], record["loss"][-1]
    return [
        f"{held_out['queries']:,} held-out {query}, each to find its own among {held_out['documents']:,} {document}:",
        table_of("", ("", ("MRR", ".3f"), ("recall@1", ".3f")), rows),
        f"better for {held_out['better']:,} of them, worse for {held_out['worse']:,}",
        f"{record['steps']:,} steps on {record['papers']:,} papers; loss {loss:.3f} at first, {last_loss:.3f} at last",
        f"use it: panelist index build --encoder {out}",
    ]
