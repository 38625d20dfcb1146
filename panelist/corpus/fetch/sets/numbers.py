"""Similarities of conferences for `assign`, and scores with persistent raters for `calibrate`."""

import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from panelist.corpus.fetch.sets.archives import files_of, write_lines
from panelist.extras import require
from panelist.spreadsheet import csv_text

_MATRICES = ("aamas2015", "preflib1", "preflib3")
_TABLES = {
    "nih": ("NIH", ("ID", "RevID", "Score", "PICareerStage", "PropType", "SRG")),
    "aibs": ("AIBS", ("ID", "RevID", "Score", "RevExp", "RevGender", "RevRank")),
    "insteval": ("InstEval", ("d", "s", "y", "service", "dept")),
}
"""File -> data frame of an R package, and its columns: paper, reviewer, score, and the covariates."""


def convert_assignment(archives: Mapping[str, Path], folder: Path) -> None:
    """`NAME.csv.gz` (`paper,reviewer,score`) and `NAME_published.log`, from matrices of numbers."""
    for path, content in files_of(archives["perturbed-maximization"]):
        name = path.name.removesuffix(".in").removesuffix("_main.log")
        if name in _MATRICES and path.parts[0] == "datasets":
            _write(folder / f"{name}.csv.gz", np.loadtxt(io.BytesIO(content), skiprows=1, ndmin=2))
        elif name in _MATRICES and path.parts[0] == "logs":
            (folder / f"{name}_published.log").write_bytes(content)
    for path, content in files_of(archives["aamas2021"]):
        if path.name == "aamas_text.npy":
            matrix = np.load(io.BytesIO(content), allow_pickle=False)
            _write(folder / "aamas2021.csv.gz", matrix if matrix.shape[0] < matrix.shape[1] else matrix.T)


def _write(path: Path, matrix: np.ndarray[tuple[int, ...], np.dtype[np.floating]]) -> None:
    rows = ((f"p{p}", f"r{r}", f"{score:.8g}") for (p, r), score in np.ndenumerate(matrix))
    write_lines(path, [csv_text(rows).encode()])


def convert_calibration(archives: Mapping[str, Path], folder: Path) -> None:
    """`nih.csv`, `aibs.csv`, `insteval.csv`: `paper,reviewer,score` and covariates, from data frames of R packages."""
    require("the data set 'calibration', which is in R's format,", "rdata")
    import rdata

    names = {frame: name for name, (frame, _) in _TABLES.items()}
    for archive in archives.values():
        for path, content in files_of(archive):
            if path.parent.name == "data" and path.stem in names and path.suffix in (".rda", ".RData"):
                name = names[path.stem]
                columns = list(_TABLES[name][1])
                frame = rdata.conversion.convert(rdata.parser.parse_data(content))[path.stem][columns]
                header = ["paper", "reviewer", "score", *columns[3:]]
                (folder / f"{name}.csv").write_text(frame.to_csv(index=False, header=header, lineterminator="\n"))
