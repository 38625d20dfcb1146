"""Which data sets there are, where they come from, and how one is built: all of it or nothing, counted at the end."""

import gzip
import os
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from panelist.config import source_url
from panelist.corpus.fetch.goldstandard import convert_goldstandard
from panelist.corpus.fetch.sets.acl import convert_acl
from panelist.corpus.fetch.sets.elife import convert_elife
from panelist.corpus.fetch.sets.numbers import convert_assignment, convert_calibration
from panelist.corpus.fetch.sets.reviews import convert_f1000rd, convert_reviews
from panelist.files import check_directory
from panelist.http.client import Client, FetchError, Progress

_GITHUB = "https://codeload.github.com"
_FAULTS = (
    *(tarfile.TarError, zipfile.BadZipFile, SyntaxError, EOFError, OSError, ValueError, KeyError),
    NotImplementedError,  # of rdata
)


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set of `PANELIST_DATA`."""

    sources: Mapping[str, str]  # archives by name: owner, repository and version on GitHub
    convert: Callable[[Mapping[str, Path], Path], None]  # brings the archives, by name, into a folder
    lines: Mapping[str, int]  # how many lines each of its main files had when figures were recorded
    folder: str = ""  # where it belongs, if not in the folder of its name


SETS: Mapping[str, DataSet] = {
    "elife": DataSet(
        {"elife-article-xml": "elifesciences/elife-article-xml/master"},
        convert_elife,
        {
            **{"works/part_000.jsonl.gz": 9_506, "references.jsonl.gz": 9_506, "bibliographies.jsonl.gz": 3_638},
            **{"qrels.dev.reviewers.txt": 1_617, "qrels.dev.authors.txt": 6_265, "qrels.dev.cite.txt": 208_569},
        },
    ),
    "acl": DataSet({"acl-anthology": "acl-org/acl-anthology/master"}, convert_acl, {"works/part_000.jsonl.gz": 47_079}),
    "reviews": DataSet(
        {
            "disapere": "nnkennard/DISAPERE/main",
            "peerread": "allenai/PeerRead/master",
            "substanreview": "YanzhuGuo/SubstanReview/main",
            "peer-review-analyze": "Tirthankar-Ghosal/Peer-Review-Analyze-1.0/main",
        },
        convert_reviews,
        {
            **{"disapere_train.jsonl.gz": 251, "disapere_dev.jsonl.gz": 88, "peerread.jsonl.gz": 159},
            **{"substanreview_train.jsonl.gz": 440, "peer_review_analyze.jsonl.gz": 714},
        },
    ),
    "f1000rd": DataSet({"f1000rd": "UKPLab/f1000rd/HEAD"}, convert_f1000rd, {"f1000rd.csv.gz": 5_499}, "reviews"),
    "assignment": DataSet(
        {
            "perturbed-maximization": "YixuanEvenXu/perturbed-maximization/427e187cefec5c5bdbd559ded4f1047661c781e1",
            "aamas2021": "daicx21/perturbed-maximization/cd85247d562ca201f46ef20cbf5dd71f4e893991",
        },
        convert_assignment,
        {
            **{"aamas2015.csv.gz": 123_213, "preflib1.csv.gz": 1_674, "preflib3.csv.gz": 25_696},
            **{"aamas2021.csv.gz": 313_496},
        },
    ),
    "calibration": DataSet(
        {"ShinyItemAnalysis": "cran/ShinyItemAnalysis/master", "lme4": "cran/lme4/master"},
        convert_calibration,
        {"nih.csv": 5_803, "aibs.csv": 217, "insteval.csv": 73_422},
    ),
    "goldstandard": DataSet(
        {"release": "niharshah/goldstandard-reviewer-paper-match/main"},
        convert_goldstandard,
        {"evaluations.csv": 59, "papers.jsonl.gz": 3_374, "participants.jsonl.gz": 58},
    ),
}
"""All data sets by name."""


def build(
    client: Client, name: str, folder: Path, progress: Progress = lambda done, total: None
) -> dict[str, tuple[int, int]]:
    """Download a data set's archives and convert them; the lines of its main files, and those that were expected.

    Archives that have come whole are kept beside the folder until all is built: run again, a download resumes with the
    first one that is missing.
    """
    chosen = SETS[name]
    check_directory(folder)
    archived = folder / f".archives-{name}"  # two data sets may share a folder
    check_directory(archived)
    archives = {key: archived / f"{key}.tar.gz" for key in chosen.sources}
    for key, source in chosen.sources.items():
        if not archives[key].exists():
            part = archives[key].with_suffix(".part")
            repository, version = source.rsplit("/", 1)
            client.download(source_url(f"{_GITHUB}/{repository}/tar.gz/{version}"), part, progress)
            part.replace(archives[key])
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as temporary:
        built, problem = Path(temporary), ""
        try:
            chosen.convert(archives, built)
            if missing := [name for name in chosen.lines if not (built / name).exists()]:
                problem = f"the sources have not the expected layout: nothing found for {', '.join(missing)}"
        except _FAULTS as error:
            problem = f"an archive is cut off or damaged, or of another layout ({error}): run the same command again"
        if problem:
            shutil.rmtree(archived)
            raise FetchError(f"{name}: {problem}")
        for path in sorted(filter(Path.is_file, built.rglob("*"))):  # until here the folder is as it was
            target = folder / path.relative_to(built)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, target)
    shutil.rmtree(archived)
    counts = {}
    for file, expected in chosen.lines.items():
        with (gzip.open if file.endswith(".gz") else open)(folder / file, "rb") as lines:
            counts[file] = sum(1 for _ in lines), expected
    return counts
