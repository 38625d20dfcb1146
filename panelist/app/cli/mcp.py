"""`panelist mcp`: the engine as tools of an assistant, over standard input and output (https://modelcontextprotocol.io).

Every tool is a route of the API, asked in this process: its records, its limits and its look for conflicts are those of
the server, and so are its errors.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import orjson

from panelist.app.cli.options import WorkspaceOption
from panelist.app.cli.output import note
from panelist.config import stay_offline
from panelist.extras import require
from panelist.workspace import Workspace

TOOLS = {
    "find": (
        "/reviewers",
        "Ranked reviewers for a submission without known conflicts, with the papers that speak for them. Who may be an "
        "author by name is `held_back`: ask the user who it is, and name those who are others in `not_authors`. "
        "Where `coverage` is none, nobody here works on it: say so, and name nobody.",
    ),
    "explain": (
        "/reviewers/export?format=json",
        "Why the people in `only` fit a submission: their scores, papers and conflicts. Who has a certain conflict is "
        "among the hidden.",
    ),
    "committee": (
        "/committee",
        "Which people of the corpus a list of names and addresses names. Ask the user about those who are `open`, and "
        "show the probable ones: nobody is to be guessed.",
    ),
    "affinity": ("/affinity", "Scores of all pairs of submissions and reviewers. `assign` takes the `job` it names."),
    "assign": ("/assignments", "Who reviews what, from the `job` of `affinity` (which knows the conflicts) or files."),
    "calibrate": ("/calibration", "Review scores corrected for harsh and mild reviewers, from a table (CSV)."),
}
"""The route of each tool, and what it is for."""

_PREFIX = "/api/v1"
_PAUSE = 0.2  # seconds between two questions about a job


def mcp(workspace: WorkspaceOption = None) -> None:
    """Offer find, explain, committee, affinity, assign and calibrate to an assistant (Model Context Protocol).

    It speaks over standard input and output: name this command in the assistant's settings. Nothing is sent anywhere.

    Examples:
        panelist mcp --workspace biology.workspace
    """
    require("a server for assistants", "mcp")
    stay_offline()
    asyncio.run(_serve(Workspace.at(workspace)))


async def _serve(workspace: Workspace) -> None:
    import httpx2
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server

    from panelist import __version__
    from panelist.app.web.app import create_app
    from panelist.app.web.service import FinderService

    service = FinderService(workspace)
    if not service.start(wait=True):
        note("there is no index yet: run 'panelist index build', then ask again")
    app = create_app(service)
    schemas = {name: input_schema(app.openapi(), path) for name, (path, _) in TOOLS.items()}
    tools = [types.Tool(name=name, description=TOOLS[name][1], input_schema=schema) for name, schema in schemas.items()]

    async def list_tools(context: Any, parameters: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, parameters: types.CallToolRequestParams) -> types.CallToolResult:
        if parameters.name not in TOOLS:
            failed, answer = True, {"detail": f"unknown tool '{parameters.name}': use one of {', '.join(TOOLS)}"}
        else:
            failed, answer = await ask(client, parameters.name, dict(parameters.arguments or {}))
        text = types.TextContent(type="text", text=orjson.dumps(answer).decode())
        return types.CallToolResult(content=[text], structured_content=answer, is_error=failed)

    address = f"http://localhost{_PREFIX}"
    server: Any = Server("panelist", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=address, timeout=None) as client,
        stdio_server() as (received, sent),
    ):
        await server.run(received, sent, server.create_initialization_options())


def input_schema(api: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Describe what a route takes, in JSON schema: its body, or its text as `reviews` beside its parameters."""
    operation = api["paths"][_PREFIX + path.partition("?")[0]]["post"]
    body = operation["requestBody"]
    if "application/json" in body["content"]:
        schema = body["content"]["application/json"]["schema"]
        schema = api["components"]["schemas"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    else:
        parameters = {entry["name"]: entry["schema"] for entry in operation.get("parameters", ())}
        reviews = {"type": "string", "description": body["description"]}
        schema = {"type": "object", "properties": {"reviews": reviews, **parameters}, "required": ["reviews"]}
    parts: dict[str, Any] = {}
    waiting = _named_schemas(schema)
    while waiting:
        name = waiting.pop()
        parts[name] = api["components"]["schemas"][name]
        waiting |= _named_schemas(parts[name]) - parts.keys()
    text = orjson.dumps({**schema, "$defs": parts}).decode().replace("#/components/schemas/", "#/$defs/")
    return dict(orjson.loads(text))


def _named_schemas(schema: Any) -> set[str]:
    return set(re.findall(r'"#/components/schemas/(\w+)"', orjson.dumps(schema).decode()))


async def ask(client: Any, name: str, arguments: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Return whether a tool failed, and what the API answers, without pictures; a job is waited for."""
    path = TOOLS[name][0]
    if name == "calibrate":
        reviews = str(arguments.pop("reviews", ""))
        answer = await client.post(path, content=reviews, params=arguments, headers={"Content-Type": "text/csv"})
    else:
        # Conflicts are stored beside the scores of a job, where an assignment finds them.
        answer = await client.post(path, json=arguments | ({"background": True} if name == "affinity" else {}))
    job = answer.json() if answer.status_code == 202 else None
    while job is not None and job["state"] in ("waiting", "running"):
        await asyncio.sleep(_PAUSE)
        job = (await client.get(f"/jobs/{job['id']}")).json()
    if job is not None:
        if job["result"] is None:
            return True, {"detail": job["error"] or f"the job is {job['state']}", "job": job["id"]}
        answer = await client.get(job["result"].removeprefix(_PREFIX))
    content = answer.json()
    content.pop("pictures", None)
    return not answer.is_success, content | ({} if job is None else {"job": job["id"]})
