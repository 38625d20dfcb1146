"""What submissions cite, from files: one of a submission, or a folder with one for each."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from indexing.parallel import map_parallel
from panelist.config import grobid_url
from panelist.corpus.readers.bibliography import read_bibliography
from panelist.errors import InputError
from panelist.records import Reference, Submission

LISTS = (".bib", ".ris", ".nbib", ".ciw", ".isi", ".bbl", ".rdf")
"""The endings of files that contain nothing but references; an .xml or .json file may be something else."""


def references_of(path: Path, notify: Callable[[str], None] = lambda _: None) -> tuple[Reference, ...]:
    """The references of a file, at least one; `notify` is told what was left out, and where the file is sent."""
    if path.suffix.lower() != ".pdf":
        try:
            entries = read_bibliography(path.read_bytes(), str(path))
        except OSError as error:
            raise InputError(f"cannot read references from '{path}': {error}") from error
        for reason, count in entries.left_out.items():
            total = count + len(entries.references)
            notify(f"'{path}' ({entries.format}): {count:,} of {total:,} entries left out: {reason}")
        return entries.references
    from panelist.app.grobid import shown
    from panelist.app.manuscripts import extract
    from panelist.corpus.readers.bibliography.printed import read_entry

    if address := grobid_url():
        notify(f"sending '{path}' to the GROBID server at {shown(address)}")
    try:
        references = extract(path.read_bytes())["references"]
    except (InputError, OSError) as error:
        raise InputError(f"cannot read references from '{path}': {error}") from error
    if not references:
        raise InputError(f"no reference section was found in '{path}': give a .bib or .ris file instead")
    return tuple(map(read_entry, references))


def with_bibliographies(
    submissions: Sequence[Submission],
    folder: Path,
    kinds: Sequence[str] = (*LISTS, ".pdf", ".txt"),
    notify: Callable[[str], None] = lambda _: None,
) -> tuple[list[Submission], list[str]]:
    """The submissions with what the files of a folder say that they cite, and what is wrong with files, in words.

    A file is called like the id of its submission, with `_` for characters that file names cannot have, and an ending.
    """
    if not folder.is_dir():
        raise InputError(f"no such folder: '{folder}'")
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in kinds)
    ids = [submission.id for submission in submissions]
    named = {name: key for key in ids for name in (key.replace("/", "_").replace(":", "_"), key)}
    cited: dict[str, tuple[Reference, ...]] = dict.fromkeys(ids, ())
    wrong = [f"'{path.name}' is called like no submission" for path in files if path.stem not in named]
    if len(wrong) == len(files):
        raise InputError(f"no file in '{folder}' is called like a submission: name them ID.bib, ID.ris or ID.pdf")

    def read(path: Path) -> tuple[Reference, ...] | str:
        try:
            return references_of(path, notify)
        except InputError as error:
            return str(error)

    of_submissions = [path for path in files if path.stem in named]
    for path, references in zip(of_submissions, map_parallel(read, of_submissions), strict=True):
        if isinstance(references, str):
            wrong.append(references)
        else:
            cited[named[path.stem]] += references
    return [replace(paper, bibliography=paper.bibliography + cited[paper.id]) for paper in submissions], wrong
