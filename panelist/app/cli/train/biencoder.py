"""`panelist train biencoder`: fine-tune an encoder on the papers of a workspace."""

from pathlib import Path
from typing import Annotated, Any

import typer

from panelist.app.cli.options import JsonOption, WorkspaceOption, encoder_name
from panelist.app.cli.output import print_json, print_table, say, show_progress
from panelist.errors import InputError
from panelist.workspace import Workspace


def biencoder(
    out: Annotated[Path, typer.Argument(help="Folder to write the model to; it must not exist.", show_default=False)],
    workspace: WorkspaceOption = None,
    encoder: Annotated[
        str | None,
        typer.Option(help="Model to start from: a name or a folder [default: all-MiniLM-L6-v2].", show_default=False),
    ] = None,
    until: Annotated[
        int | None, typer.Option(help="Learn only from papers of this year or before.", show_default=False)
    ] = None,
    pairs: Annotated[
        str, typer.Option(help="What belongs together: titles and their abstracts, or papers linked by references.")
    ] = "titles",
    papers: Annotated[
        int | None, typer.Option(help="Papers to learn from, drawn at random [default: all].", show_default=False)
    ] = None,
    epochs: Annotated[int, typer.Option(help="How often each paper is seen.")] = 1,
    steps: Annotated[
        int | None, typer.Option(help="Batches to learn from, instead of --epochs.", min=1, show_default=False)
    ] = None,
    batch: Annotated[int, typer.Option(help="Queries in a batch: titles, or papers.")] = 16,
    negatives: Annotated[int, typer.Option(help="Hard negatives of each query.")] = 1,
    depth: Annotated[int, typer.Option(help="They are drawn from this many of BM25's best.")] = 100,
    rate: Annotated[float, typer.Option(help="Highest learning rate.")] = 2e-5,
    warmup: Annotated[float, typer.Option(help="Part of the steps in which the learning rate rises.")] = 0.1,
    tokens: Annotated[int, typer.Option(help="Longer texts are cut, in training only.")] = 128,
    held_out: Annotated[int, typer.Option(help="Papers kept aside to judge the model by.")] = 200,
    checkpoint: Annotated[int, typer.Option(help="Steps between two checkpoints.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    threads: Annotated[
        int | None, typer.Option(help="Processors to use [default: all].", min=1, show_default=False)
    ] = None,
    json: JsonOption = False,
) -> None:
    """Fine-tune an encoder so that a title finds its abstract, or a paper those it shares references with.

    Each is set against its own, those of the others in its batch, and hard negatives: texts that BM25 ranks high for
    it and that do not belong to it. Papers held out show whether it helped. The resulting folder can be named
    wherever an encoder can. The same command resumes a training that was interrupted.

    **Examples**

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
    training = BiencoderTraining(
        encoder=encoder_name(encoder),
        papers=papers,
        epochs=epochs,
        steps=steps,
        batch=batch,
        negatives=negatives,
        depth=depth,
        rate=rate,
        warmup=warmup,
        tokens=tokens,
        held_out=held_out,
        checkpoint=checkpoint,
        seed=seed,
    )
    with Workspace.at(workspace).open_corpus() as corpus:
        texts = builders[pairs](corpus.iter_papers(), until)
    try:
        with show_progress() as progress:
            record = training.train(texts, out, progress, threads=threads)
    except KeyboardInterrupt:
        typer.echo("interrupted: the same command goes on from here", err=True)
        raise typer.Exit(130) from None
    if json:
        print_json({"model": str(out), **record})
    else:
        _show(out, record)


def _show(out: Path, record: dict[str, Any]) -> None:
    held_out = record["held_out"]
    moments = ((name, held_out[name]) for name in ("before", "after"))
    rows = [(name, f"{of['mrr']:.3f}", f"{of['recall_at_1']:.3f}") for name, of in moments]
    query, document = ("titles", "abstracts") if record["pairs"] == "titles" else ("papers", "others")
    say(f"{held_out['queries']:,} held-out {query}, each to find its own among {held_out['documents']:,} {document}:")
    print_table(("", "MRR", "recall@1"), rows)
    say(f"better for {held_out['better']:,} of them, worse for {held_out['worse']:,}")
    first, last = record["loss"][0], record["loss"][-1]
    say(f"{record['steps']:,} steps on {record['papers']:,} papers; loss {first:.3f} at first, {last:.3f} at last")
    say(f"use it: panelist index build --encoder {out}")
