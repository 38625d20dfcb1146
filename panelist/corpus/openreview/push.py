"""Edges for a venue of OpenReview: affinity, conflicts, a proposed assignment.

Nothing is deleted, and an edge that somebody else wrote is left as it is. What was sent is in `pushed.jsonl` of the
venue's folder; what is there already is asked for first, so that sending again completes what was interrupted.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from panelist.corpus.openreview.api import OpenReview
from panelist.errors import InputError
from panelist.http.client import FetchError

Kind = Literal["scores", "conflicts", "assignment"]
Triples = Iterable[tuple[str, str, float]]
Pair = tuple[str, str]

INVITATIONS = {"scores": "Affinity_Score", "conflicts": "Conflict", "assignment": "Proposed_Assignment"}
BATCH = 1000
_ATTEMPTS = 5
_LEDGER = "pushed.jsonl"


@dataclass(slots=True)
class Push:
    """The edges of one invitation that are to be sent."""

    invitation: str
    label: str  # `Conflict`, or the title of the proposed assignment
    new: list[dict[str, Any]] = field(default_factory=list)
    unchanged: int = 0  # how many are there already
    foreign: list[Pair] = field(default_factory=list)  # pairs that others gave another weight; these stay as they are


def plan_edges(api: OpenReview, group: str, kind: Kind, triples: Triples, folder: Path, label: str = "") -> Push:
    """What would have to be sent, as nothing is sent yet; `triples` are paper, reviewer and weight.

    `group` is the committee, such as `…/Reviewers`, `folder` that of the venue, with the record of what was sent
    before, and `label` the title of an assignment.
    """
    invitation = f"{group}/-/{INVITATIONS[kind]}"
    invitations = api.get("invitations", id=invitation).get("invitations") or []
    if not invitations:
        raise InputError(f"OpenReview has no invitation '{invitation}': run the venue's paper matching setup first")
    push = Push(invitation, "Conflict" if kind == "conflicts" else label)
    numbers = _numbers(folder)
    existing = _edges_by_pair(api, push)
    own_ids = _own_edge_ids(folder)
    for head, tail, weight in triples:
        stored = existing.get((head, tail))
        if stored is not None and stored.get("weight") == weight:
            push.unchanged += 1
        elif stored is not None and stored["id"] not in own_ids:
            push.foreign.append((head, tail))
        else:
            edge = _edge(invitations[0].get("edge") or {}, push, head, tail, weight, numbers)
            push.new.append(edge if stored is None else edge | {"id": stored["id"]})
    return push


def send_edges(
    api: OpenReview, push: Push, folder: Path, progress: Callable[[int, int], None] = lambda done, total: None
) -> int:
    """Send the planned edges in batches; how many.

    Where a batch got no answer, nobody knows if it arrived: what is there is asked for again, and the rest is sent.
    """
    waiting, sent_count, failures = list(push.new), 0, 0
    while waiting:
        batch = waiting[:BATCH]
        try:
            answer = api.post("edges/bulk", batch, repeat=False)
        except FetchError as error:
            failures += 1
            if error.status is None or error.status < 500 or failures == _ATTEMPTS:
                raise
            time.sleep(0.01 * 4**failures)
            existing = _edges_by_pair(api, push)
            arrived = [edge for edge in waiting if existing.get(_pair(edge), {}).get("weight") == edge["weight"]]
            _record_edges(folder, (existing[_pair(edge)] for edge in arrived))
            sent_count += len(arrived)
            waiting = [edge for edge in waiting if edge not in arrived]
            continue
        _record_edges(folder, answer if type(answer) is list else answer.get("edges") or [])
        sent_count += len(batch)
        waiting = waiting[BATCH:]
        progress(sent_count, len(push.new))
    return sent_count


def _edges_by_pair(api: OpenReview, push: Push) -> dict[Pair, dict[str, Any]]:
    """The edges that the venue has, by pair; of a proposed assignment those of its title."""
    labelled = {"label": push.label} if push.label and push.label != "Conflict" else {}
    edges = api.pages("edges", invitation=push.invitation, **labelled)
    return {_pair(edge): edge for edge in edges if not edge.get("ddate")}


def _pair(edge: Mapping[str, Any]) -> Pair:
    return str(edge["head"]), str(edge["tail"])


def _edge(
    form: Mapping[str, Any], push: Push, head: str, tail: str, weight: float, numbers: Mapping[str, str]
) -> dict[str, Any]:
    """An edge as its invitation wants it: who may read and write it stands there."""
    edge: dict[str, Any] = {"invitation": push.invitation, "head": head, "tail": tail, "weight": weight}
    if push.label:
        edge["label"] = push.label
    for role in ("readers", "nonreaders", "writers", "signatures"):
        people = form.get(role)
        if type(people) is dict:
            people = people.get("param", {}).get("default") or people.get("param", {}).get("const")
        if type(people) is list:
            edge[role] = [_filled(str(name), head, tail, numbers) for name in people]
    return edge


def _filled(pattern: str, head: str, tail: str, numbers: Mapping[str, str]) -> str:
    """`${2/tail}` is the reviewer, `${{2/head}/number}` the number of the paper."""
    text = re.sub(r"\$\{\{\d/head\}/number\}", numbers.get(head, ""), pattern)
    return re.sub(r"\$\{\d/(head|tail)\}", lambda match: head if match[1] == "head" else tail, text)


def _numbers(folder: Path) -> dict[str, str]:
    path = folder / "submissions.json"
    if not path.exists():
        raise InputError(f"'{folder}' has no submissions.json: run 'panelist openreview pull' first")
    return {key: str(note.get("number", "")) for key, note in orjson.loads(path.read_bytes()).items()}


def _own_edge_ids(folder: Path) -> set[str]:
    path = folder / _LEDGER
    content = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""  # a killed command may leave half a line
    return {str(orjson.loads(line)["id"]) for line in content.splitlines() if line}


def _record_edges(folder: Path, edges: Iterable[Mapping[str, Any]]) -> None:
    """Remember which edges are ours."""
    with (folder / _LEDGER).open("ab") as file:
        for edge in edges:
            fields = {name: edge.get(name) for name in ("id", "invitation", "head", "tail", "weight", "label")}
            file.write(orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE))
