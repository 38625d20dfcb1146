"""The documentation under `/docs`, where `PANELIST_DOCS` names the site that `make docs` has built."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from fastapi import HTTPException, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from panelist.app.web.security import POLICY
from panelist.errors import InputError


class DocumentationSite(StaticFiles):
    """The files of the site. Its pages hold scripts: browsers run them because the policy names their digests."""

    def __init__(self, directory: Path) -> None:
        if not (directory / "index.html").is_file():
            raise InputError(f"PANELIST_DOCS: '{directory}' has no index.html: run 'make docs', or unset the variable")
        super().__init__(directory=directory, html=True)
        pages = [page.read_text(encoding="utf-8") for page in directory.rglob("*.html")]
        scripts = {script for page in pages for script in re.findall("<script>(.*?)</script>", page, re.DOTALL)}
        digests = sorted(f" 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
        self._policy = POLICY.format(scripts="".join(digests), styles=" 'unsafe-inline'")

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a file of the site; other addresses get the page that all unknown ones get."""
        response = await super().get_response(path, scope)
        if response.status_code == 404:
            raise HTTPException(404)
        response.headers["Content-Security-Policy"] = self._policy
        return response
