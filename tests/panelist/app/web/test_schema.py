"""Schemathesis against the OpenAPI document: whatever fits it, and much that does not, makes no server error."""

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation.modes import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from web_support import make_workspace, running, start_service

from panelist.app.demo import corpus
from panelist.app.web.app import create_app
from panelist.app.web.service import FinderService
from panelist.workspace import Workspace

CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
DOCUMENT = create_app(FinderService(Workspace.at(Path("nowhere")))).openapi()
OPERATIONS = {(path, method): of for path, methods in DOCUMENT["paths"].items() for method, of in methods.items()}
ANY_BYTES = {"/api/v1/manuscript", "/api/v1/bibliography"}
IN_A_PROCESS = ("/api/v1/calibration", "/api/v1/reviews")
"""Routes whose work is done in a process of its own, which takes half a second to start."""
CAN_BE_WRONG = [
    operation
    for operation, described in OPERATIONS.items()
    if ("parameters" in described or "requestBody" in described) and operation[0] not in ANY_BYTES
]


def test_every_answer_has_a_schema_that_says_something():
    """What depends on a kind, a model or a method may be any object: these fields, and OpenReview's file."""
    answers = [
        (f"{method} {path} {kind}", content.get("schema", {}))
        for (path, method), of in OPERATIONS.items()
        for status, answer in of["responses"].items()
        if status.startswith("2") and status != "204"
        for kind, content in answer["content"].items()
    ]
    assert len(answers) >= len(OPERATIONS) - 10
    vague = [name for name, schema in answers if not schema.keys() & {"$ref", "properties", "items", "anyOf"}]
    vague = [name for name in vague if "json" in name]
    assert vague == ["get /api/v1/conferences/{conference}/solutions/{number}/export application/json"]
    assert [name for name, schema in answers if not schema] == []
    fields = {
        f"{name}.{field}"
        for name, schema in DOCUMENT["components"]["schemas"].items()
        for field, of in schema.get("properties", {}).items()
        if of.get("type") == "object" and not of.keys() & {"$ref", "properties"}
        if of.get("additionalProperties") in (None, True)
    }
    expected = {"EventOut.detail", "AssignOptionsOut.defaults", "Calibration.settings", "CalibrationKept.settings"}
    assert fields == expected


@schemathesis.serializer(
    *("application/pdf", "application/x-bibtex", "application/x-research-info-systems", "application/nbib"),
)
def as_it_is(context, value):
    return value if isinstance(value, bytes) else str(value).encode()


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    service = start_service(make_workspace(tmp_path_factory.mktemp("web"), corpus()[:60]))
    with running(service) as address:
        yield schemathesis.openapi.from_url(f"{address}/api/v1/openapi.json")


@pytest.mark.parametrize(
    ("path", "method", "mode"),
    [(*operation, GenerationMode.POSITIVE) for operation in OPERATIONS]
    + [(*operation, GenerationMode.NEGATIVE) for operation in CAN_BE_WRONG],
)
def test_every_route_answers_as_described(schema, path, method, mode):
    operation = schema[path][method.upper()]

    @settings(
        max_examples=3 if path.startswith(IN_A_PROCESS) else 6,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def answers_as_described(case):
        case.call_and_validate(checks=CHECKS)

    answers_as_described()
