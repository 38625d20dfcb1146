"""The application: the API under /api/v1, the pages, and the layers around both."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from starlette.staticfiles import StaticFiles

from panelist import __version__
from panelist.app.access.users import Users
from panelist.app.web.observing import Figures, observe
from panelist.app.web.oidc import Provider
from panelist.app.web.pages import add_pages
from panelist.app.web.problems import HANDLERS, ProblemDetails
from panelist.app.web.requests import AffinityRequest
from panelist.app.web.routes import about, affinity, assignment, documents, evaluation, jobs, people, reviewers, session
from panelist.app.web.routes.assignment import AssignmentRequest
from panelist.app.web.routes.conference import conferences, files, hand, reviews, scores, solutions
from panelist.app.web.routes.editor import lookups, submissions
from panelist.app.web.routes.editor import people as desk_people
from panelist.app.web.routes.state import ServerState
from panelist.app.web.security import Attempts, enforce, gate, head_as_get, limit_body, security_headers, sign_in
from panelist.app.web.service import FinderService
from panelist.app.web.site import DocumentationSite
from panelist.config import site_dir

STATIC = Path(__file__).parent / "static"


def create_app(
    service: FinderService,
    token: str | None = None,
    *,
    online: bool = False,
    users: Users | None = None,
    trusted: tuple[str, str] | None = None,
    provider: Provider | None = None,
) -> FastAPI:
    """The application over a service that has been started; it is closed with the application.

    Clients give the token as `Authorization: Bearer …`; without one, and without users, only this machine's own names
    are answered. `online` lets an editor ask for a DOI elsewhere; `trusted` is the header by which a proxy names its
    user, and the proxy's address.
    """
    users = users or Users(service.workspace)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with closing(ServerState(service, users, online=online, provider=provider)) as app.state.panelist:
            yield

    app = FastAPI(
        title="Panelist",
        version=__version__,
        summary="Find the people who can review a paper.",
        description="Errors are `application/problem+json` and name the field that is wrong.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # they would load scripts from elsewhere; /api describes the API without
        redoc_url=None,
        generate_unique_id_function=_operation_id,
        lifespan=lifespan,
        dependencies=[Depends(enforce)],
        exception_handlers=HANDLERS,
    )
    for_all = (session, reviewers, people, affinity, jobs, assignment, documents, evaluation)
    for_chairs = (conferences, scores, files, solutions, hand, reviews)
    for part in (*for_all, submissions, lookups, desk_people, *for_chairs, about):
        app.include_router(part.router, prefix="/api/v1")
    add_pages(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    if site := site_dir():
        app.mount("/docs", DocumentationSite(site), name="docs")
    _describe(app, needs_token=token is not None)
    if provider is not None:
        provider.remember(app)
    app.state.figures = Figures()
    app.add_middleware(head_as_get)
    app.add_middleware(limit_body)
    app.add_middleware(gate, token=None if token is None else token.encode(), attempts=Attempts("token"))
    app.add_middleware(sign_in, users=users, trusted=trusted, attempts=Attempts("personal token"))
    app.add_middleware(security_headers)
    app.add_middleware(observe, figures=app.state.figures)
    return app


def _operation_id(route: APIRoute) -> str:
    """Name an operation by what clients call, so that no change of ours renames it."""
    return "_".join([*sorted(map(str.lower, route.methods or ())), *re.findall(r"\w+", route.path)[2:]])


def _describe(app: FastAPI, *, needs_token: bool) -> None:
    """Describe problems as they are sent, instead of FastAPI's own validation errors."""
    original = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = original()
            schemas = schema["components"]["schemas"]
            # FastAPI neither sends nor reads these, so it does not see them.
            for model in (ProblemDetails, AffinityRequest, AssignmentRequest):
                described = model.model_json_schema(ref_template="#/components/schemas/{model}")
                schemas.update(described.pop("$defs", {}))
                schemas[model.__name__] = described
            if needs_token:
                schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
                schema["security"] = [{"token": []}]
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's documentation extends it
