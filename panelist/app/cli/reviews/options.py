"""Options that several commands about reviews share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from panelist.http.llm import LlmClient

ReviewsArgument = Annotated[
    Path, typer.Argument(help="CSV (paper,text and perhaps id,reviewer,score), JSON lines, or OpenReview's JSON.")
]
ReviewDataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of the data sets [default: reviews in $PANELIST_DATA].", show_default=False),
]
TaggerOption = Annotated[
    Path | None,
    typer.Option(
        help="Folder of a tagger that 'panelist train reviews' made [default: the package's].", show_default=False
    ),
]
FastOption = Annotated[
    bool, typer.Option("--fast", help="Tag with the linear model only: no MiniLM, many times faster, less exact.")
]
EndpointOption = Annotated[
    str | None,
    typer.Option(
        help="OpenAI-compatible address before /chat/completions [default: $PANELIST_LLM_URL].", show_default=False
    ),
]
ModelOption = Annotated[str, typer.Option("--model", help="The model's name at the endpoint.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Send the texts without asking.")]


def open_client(endpoint: str, model: str) -> LlmClient:
    """A client of an endpoint, with the usual patience."""
    from panelist.http.llm import LlmClient

    return LlmClient(endpoint, model, retries=5, timeout=120.0)
