"""The application: the API under /api/v1, the pages, and the layers around both."""

import re
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Response
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from panelist import __version__
from panelist.app.access.users import Users
from panelist.app.web import security
from panelist.app.web.observing import Figures, observe
from panelist.app.web.oidc import Provider
from panelist.app.web.pages import add_pages
from panelist.app.web.problems import HANDLERS, ProblemDetails
from panelist.app.web.records import record_schemas
from panelist.app.web.requests import AffinityRequest
from panelist.app.web.routes import about, affinity, assignment, documents, evaluation, jobs, people, reviewers, session
from panelist.app.web.routes.assignment import AssignmentRequest
from panelist.app.web.routes.conference import committee, conferences, files, hand, reviews, scores, solutions
from panelist.app.web.routes.editor import history, lookups, submissions
from panelist.app.web.routes.editor import people as desk_people
from panelist.app.web.routes.state import ServerState
from panelist.app.web.service import FinderService
from panelist.config import site_dir
from panelist.errors import InputError

STATIC = Path(__file__).parent / "static"


def create_app(
    service: FinderService,
    token: str | None = None,
    *,
    online: bool = False,
    users: Users | None = None,
    trusted: tuple[str, str] | None = None,
    provider: Provider | None = None,
    workers: int = 1,
) -> FastAPI:
    """The application over a service that has been started; it is closed with the application.

    Clients give the token as `Authorization: Bearer …`; without one, and without users, only this machine's own names
    are answered. `online` lets an editor ask for a DOI elsewhere; `trusted` is the header by which a proxy names its
    user, and the proxy's address; so many `workers` look up reviewers, of which one is this process.
    """
    users = users or Users(service.workspace)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state = ServerState(service, users, online=online, provider=provider, workers=workers)
        with closing(state) as app.state.panelist:
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
        dependencies=[Depends(security.enforce)],
        exception_handlers=HANDLERS,
    )
    for_all = (session, reviewers, people, affinity, jobs, assignment, documents, evaluation)
    for_chairs = (conferences, scores, files, committee, solutions, hand, reviews)
    for module in (*for_all, submissions, lookups, history, desk_people, *for_chairs, about):
        app.include_router(module.router, prefix="/api/v1")
    add_pages(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    if site := site_dir():
        app.mount("/docs", DocumentationSite(site), name="docs")
    _describe(app, needs_token=token is not None)
    if provider is not None:
        provider.remember(app)
    app.state.figures = Figures()
    app.add_middleware(security.head_as_get)
    app.add_middleware(security.limit_body)
    app.add_middleware(
        security.gate, token=None if token is None else token.encode(), attempts=security.Attempts("token")
    )
    app.add_middleware(security.sign_in, users=users, trusted=trusted, attempts=security.Attempts("personal token"))
    app.add_middleware(security.security_headers)
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
            models = (ProblemDetails, AffinityRequest, AssignmentRequest, desk_people.DeskOut)
            kinds: list[Any] = [(model, "validation") for model in models]
            schemas |= models_json_schema(kinds, ref_template="#/components/schemas/{model}")[1]["$defs"]
            schemas |= record_schemas()
            if needs_token:
                schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
                schema["security"] = [{"token": []}]
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's documentation extends it


class DocumentationSite(StaticFiles):
    """The documentation under `/docs`, where `PANELIST_DOCS` names the site that `make docs` has built.

    Its pages hold scripts: browsers run them because the policy names their digests.
    """

    def __init__(self, directory: Path) -> None:
        if not (directory / "index.html").is_file():
            raise InputError(f"PANELIST_DOCS: '{directory}' has no index.html: run 'make docs', or unset the variable")
        super().__init__(directory=directory, html=True)
        pages = [page.read_text(encoding="utf-8") for page in directory.rglob("*.html")]
        scripts = {script for page in pages for script in re.findall("<script>(.*?)</script>", page, re.DOTALL)}
        digests = sorted(f" 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
        self._policy = security.POLICY.format(scripts="".join(digests), styles=" 'unsafe-inline'")

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a file of the site; other addresses get the page that all unknown ones get."""
        response = await super().get_response(path, scope)
        if response.status_code == 404:
            raise HTTPException(404)
        response.headers["Content-Security-Policy"] = self._policy
        return response
