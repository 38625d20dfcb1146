"""The tools of an assistant, asked by a real client over standard input and output."""

import asyncio
import json
import os
import sys

import pytest
from mcp import Client, StdioServerParameters

from panelist.app.demo import submissions

REVIEWS = "paper,reviewer,score\np1,a,3\np1,b,5\np2,a,4\np2,b,7\np3,a,1\np3,b,2\n"


def converse(workspace, talk):
    """What a conversation with the server of a workspace comes to."""
    environment = {**os.environ, "PANELIST_WORKSPACE": str(workspace.path)}
    command = StdioServerParameters(command=sys.executable, args=["-m", "panelist", "mcp"], env=environment)

    async def run():
        async with Client(command, read_timeout_seconds=120) as client:
            return await talk(client)

    return asyncio.run(run())


async def call(client, name, **arguments):
    answer = await client.call_tool(name, arguments)
    content = json.loads(answer.content[0].text)
    return (None if answer.is_error else content), content


def asked(submission, **more):
    authors = [{"id": one.id, "name": one.name} for one in submission.authors]
    return {"id": submission.id, "title": submission.title, "abstract": submission.abstract, "authors": authors, **more}


@pytest.fixture(scope="module")
def spoken(demo_workspace):
    """One conversation: every tool, and what goes wrong."""
    submission = asked(submissions()[0])

    async def talk(client):
        said = {"tools": {one.name: one.input_schema for one in (await client.list_tools()).tools}}
        said["found"], _ = await call(client, "find", submission=submission, options={"size": 5})
        people = [one["author"]["id"] for one in said["found"]["matches"]]
        author = submission["authors"][0]["id"]
        said["why"], _ = await call(client, "explain", submission=submission, only=[*people[:2], author])
        said["scores"], _ = await call(client, "affinity", submissions=[submission], reviewers=[*people, author])
        said["assigned"], _ = await call(client, "assign", job=said["scores"]["job"], demand=2, most=1)
        said["calibrated"], _ = await call(client, "calibrate", reviews=REVIEWS, accept=1)
        said["wrong"] = await call(client, "find", submission={"title": ""}, options={"size": 1_000_000})
        said["infeasible"] = await call(client, "assign", job=said["scores"]["job"], demand=2, most=0)
        said["unknown"] = await call(client, "delete")
        return said

    return converse(demo_workspace, talk) | {"author": submission["authors"][0]["id"]}


def test_the_tools_take_what_the_api_takes(spoken):
    tools = spoken["tools"]
    assert list(tools) == ["find", "explain", "committee", "affinity", "assign", "calibrate"]
    assert tools["find"]["required"] == ["submission"]
    assert tools["find"]["properties"]["submission"]["$ref"].removeprefix("#/$defs/") in tools["find"]["$defs"]
    assert tools["affinity"]["properties"]["reviewers"]["maxItems"] > 0
    assert tools["calibrate"]["required"] == ["reviews"]
    assert "components" not in json.dumps(tools)


def test_a_panel_and_its_reasons_leave_out_authors(spoken):
    assert len(spoken["found"]["matches"]) == 5
    suggested = [one["author"]["id"] for one in spoken["found"]["matches"]]
    assert spoken["author"] not in suggested
    assert [one["author"]["id"] for one in spoken["why"]["matches"]] == suggested[:2]
    assert spoken["why"]["matches"][0]["papers"]


def test_scores_carry_their_conflicts_into_an_assignment(spoken):
    blocked = {one["reviewer"] for one in spoken["scores"]["conflicts"] if one["certain"]}
    assert spoken["author"] in blocked
    assert blocked.isdisjoint(one["reviewer"] for one in spoken["scores"]["pairs"])
    assert len(spoken["assigned"]["pairs"]) == 2
    assert blocked.isdisjoint(one["reviewer"] for one in spoken["assigned"]["pairs"])
    assert "pictures" not in spoken["assigned"]


def test_reviews_are_calibrated(spoken):
    assert [one["paper"] for one in spoken["calibrated"]["papers"]] == ["p2", "p1", "p3"]
    assert "pictures" not in spoken["calibrated"]


def test_what_is_wrong_is_the_api_s_own_problem(spoken):
    for name in ("wrong", "infeasible", "unknown"):
        good, content = spoken[name]
        assert good is None
        assert content["detail"]
    assert spoken["wrong"][1]["status"] == 422
    assert "use one of find" in spoken["unknown"][1]["detail"]
