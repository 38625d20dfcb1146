"""Pages that are made when the site is built (`make docs`): the command line, the HTTP API and the Python API.

Run as a script (`make openapi`), it writes `reference/openapi.json`, the description of the API that is checked in.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.structure.files import File, Files
from typer.cli import get_docs_for_click
from typer.main import get_command

import panelist
from panelist.app.cli.main import command_line
from panelist.app.web.app import create_app
from panelist.app.web.service import FinderService
from panelist.workspace import Workspace


def on_files(files: Files, config: Any) -> Files:
    """Add the pages; MkDocs calls this."""
    pages = {"cli": command_line_page(), "http": http_page(), "api": python_page()}
    for name, text in pages.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def command_line_page() -> str:
    """Describe every command with its arguments and options."""
    root = get_command(command_line())
    _keep_summaries(root)
    return get_docs_for_click(obj=root, ctx=typer.Context(root), name="panelist", title="The command line")


def _keep_summaries(group: Any) -> None:
    """Have lists of commands say the whole first sentence of each; they would be cut after some words."""
    for command in getattr(group, "commands", {}).values():
        command.short_help = " ".join((command.help or "").partition("\n\n")[0].split())
        _keep_summaries(command)


def openapi() -> dict[str, Any]:
    """Describe the API as OpenAPI does."""
    return create_app(FinderService(Workspace.at(Path("nowhere")))).openapi()


def http_page() -> str:
    """Describe every route, by its part of the API."""
    document = openapi()
    parts = [
        "# The HTTP API",
        "Below `/api/v1`. [openapi.json](openapi.json) is the whole document; a running server gives it as "
        "`GET /api/v1/openapi.json`, and explains it under `/api`; [server.md](server.md) says how tokens, jobs, "
        "limits and errors work.",
    ]
    by_tag: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            by_tag.setdefault(operation["tags"][0], []).extend(_route(method, path, operation))
    for tag, routes in by_tag.items():
        parts += [f"## {tag.capitalize()}", *routes]
    return "\n\n".join(parts)


def _route(method: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"### {operation['summary']} {{ #{operation['operationId']} }}"
    yield f"`{method.upper()} {path.removeprefix('/api/v1')}`"
    yield operation.get("description", "")
    body = operation.get("requestBody", {}).get("content", {})
    rows = [f"| body | {', '.join(f'`{kind}`' for kind in body)} | {_fields(body)} |"] if body else []
    rows += [
        f"| `{field['name']}` | {field['in']} | {_cell(field.get('description', ''))} |"
        for field in operation.get("parameters", ())
    ]
    if rows:
        yield "\n".join(["| parameter | in | what |", "|---|---|---|", *rows])
    yield "Answers: " + ", ".join(f"{code} {_cell(one['description'])}" for code, one in operation["responses"].items())


def _fields(body: dict[str, Any]) -> str:
    names = (kind["schema"].get("$ref", "").rpartition("/")[2] for kind in body.values())
    return ", ".join(f"`{name}`" for name in names if name)


def python_page() -> str:
    """List what `import panelist` offers; mkdocstrings fills in signatures and docstrings."""
    modules = panelist._MODULES
    parts = ["# The Python API", "What `import panelist` offers. [Python by example](python.md) uses every name."]
    for name in sorted(modules, key=str.lower):
        parts += [f"## panelist.{name}", f"::: {modules[name]}.{name}"]
    return "\n\n".join(parts)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")


if __name__ == "__main__":
    text = json.dumps(openapi(), indent=1, sort_keys=True, ensure_ascii=False)
    (Path(__file__).parent / "reference/openapi.json").write_text(f"{text}\n", encoding="utf-8")
