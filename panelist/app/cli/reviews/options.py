"""Options that several commands about reviews share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panelist.app.cli.options import option

if TYPE_CHECKING:
    from eval.reviews.tagging.tagger import Tagger

_REVIEWS = "CSV (paper,text and perhaps id,reviewer,score), JSON lines, or OpenReview's JSON."
ReviewsArgument = Annotated[Path, typer.Argument(help=_REVIEWS)]
_DATA = "Folder of the data sets [default: reviews in $PANELIST_DATA]."
ReviewDataOption = Annotated[Path | None, typer.Option("--data", help=_DATA)]


@dataclass(frozen=True)
class TaggerOptions:
    """Which tagger reads the reviews."""

    tagger: Path | None = option("Folder of a tagger that 'panelist train reviews' made [default: the package's].")
    fast: bool = option("Tag with the linear model only: no MiniLM, many times faster, less exact.")

    def load(self) -> Tagger:
        """Load the tagger that these options name."""
        from eval.reviews.tagging.tagger import Tagger

        return Tagger.load(self.tagger, fast=self.fast)
