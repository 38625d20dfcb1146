"""Signing in at an OpenID Connect provider, by Authlib: authorization code with PKCE, state and nonce.

Authlib is only imported where a provider is set up: it needs the extra `oidc`.
"""

import logging
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlsplit

import httpx2
from fastapi import FastAPI, Request, Response

from panelist.app.web.problems import ProblemError
from panelist.app.web.security import SESSION, is_loopback
from panelist.config import OpenId
from panelist.errors import InputError
from panelist.words import printable

logger = logging.getLogger(__name__)

_SIGNED = ("RS256", "PS256", "ES256", "EdDSA")
"""Signatures by a key that the provider alone has; never `none`, which some providers offer, too."""
_LEEWAY = 60  # seconds by which two clocks may differ


class Provider:
    """A provider that says who somebody is; who is a user here is not its to say."""

    def __init__(self, settings: OpenId) -> None:
        from authlib.integrations.starlette_client import OAuth

        for name, value in (("ISSUER", settings.issuer), ("URL", settings.address)):
            address = urlsplit(value)
            if address.scheme != "https" and not (address.hostname and is_loopback(address.hostname)):
                raise InputError(f"PANELIST_OIDC_{name} is '{value}': give an address that begins with https://")
        if not settings.client:
            raise InputError("PANELIST_OIDC_CLIENT is missing: give the id under which the provider knows this server")
        self.settings = settings
        self._client: Any = OAuth().register(
            "panelist",
            client_id=settings.client,
            client_secret=settings.secret,
            server_metadata_url=f"{settings.issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={"scope": "openid email", "code_challenge_method": "S256", "timeout": 10},
        )

    def remember(self, app: FastAPI) -> None:
        """Let a browser store state, nonce and verifier, signed, until it comes back, or the server begins again."""
        from starlette.middleware.sessions import SessionMiddleware

        app.add_middleware(
            SessionMiddleware,
            secret_key=token_urlsafe(),
            session_cookie="panelist-provider",
            path=SESSION,
            max_age=600,
            https_only=self.settings.address.startswith("https:"),
        )

    async def begin(self, request: Request) -> Response:
        """Send a browser to the provider."""
        try:
            answer: Response = await self._client.authorize_redirect(
                request, f"{self.settings.address}{SESSION}/callback"
            )
        except (httpx2.HTTPError, ValueError, RuntimeError) as error:
            raise self._silent() from error
        return answer

    async def finish(self, request: Request) -> str:
        """The name that the provider vouches for, of whoever comes back from it in the browser that began it."""
        from authlib.common.errors import AuthlibBaseError
        from joserfc.errors import JoseError

        expected = {"iss": self.settings.issuer, "aud": self.settings.client}
        options = {name: {"essential": True, "value": value} for name, value in expected.items()}
        try:
            metadata = await self._client.load_server_metadata()
            metadata["id_token_signing_alg_values_supported"] = list(_SIGNED)
            token = await self._client.authorize_access_token(request, claims_options=options, leeway=_LEEWAY)
            claims = token["userinfo"]
        except httpx2.HTTPError as error:
            raise self._silent() from error
        except (AuthlibBaseError, JoseError, ValueError, KeyError, TypeError, RuntimeError) as error:
            # What was wrong is for the log: it helps who attacks as much as who administers.
            logger.warning("signing in at %s failed: %s", self.settings.issuer, printable(str(error))[:200])
            raise ProblemError(401, "the provider's answer is not valid, or came too late: sign in again") from error
        name = claims.get(self.settings.claim)
        if self.settings.claim == "email" and claims.get("email_verified") is not True:
            raise ProblemError(403, "the provider has not verified your e-mail address: do that there, then come back")
        # Other letters may look, or be folded, like somebody else's.
        if not isinstance(name, str) or not name.isascii():
            raise ProblemError(403, f"the provider does not tell your {self.settings.claim}: ask an administrator")
        return name

    def _silent(self) -> ProblemError:
        return ProblemError(
            503, f"'{urlsplit(self.settings.issuer).netloc}' does not answer as a provider: try it later"
        )
