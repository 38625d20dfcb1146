"""Where things are by default. Environment variables are read here and nowhere else."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import platformdirs

D = TypeVar("D", str, None)


def _variable(name: str, default: D) -> Callable[[], str | D]:
    """A function that reads a variable of the environment when it is called."""
    return lambda: os.environ.get(name) or default


mongo_uri = _variable("PANELIST_MONGO_URI", None)
"""A MongoDB server to keep the corpus in, instead of SQLite."""
milvus_uri = _variable("PANELIST_MILVUS_URI", None)
"""The Milvus server, with user and password where it wants them."""
openalex_url = _variable("PANELIST_OPENALEX_URL", "https://api.openalex.org")
openalex_key = _variable("PANELIST_OPENALEX_KEY", None)
"""The key for the OpenAlex API, free at openalex.org/settings/api."""
semanticscholar_url = _variable("PANELIST_SEMANTICSCHOLAR_URL", "https://api.semanticscholar.org/graph/v1")
grobid_url = _variable("PANELIST_GROBID_URL", None)
"""A GROBID server to which manuscripts are sent to be read; by default there is none."""
llm_url = _variable("PANELIST_LLM_URL", "https://api.openai.com/v1")
"""The OpenAI-compatible endpoint of the affinity model `llm`."""
llm_key = _variable("PANELIST_LLM_KEY", None)
"""The key for that endpoint, where it wants one."""
openreview_url = _variable("PANELIST_OPENREVIEW_URL", "https://api2.openreview.net")
openreview_old_url = _variable("PANELIST_OPENREVIEW_OLD_URL", "https://api.openreview.net")
"""OpenReview's API of version 1, which has older publications."""


def cache_dir() -> Path:
    """The user's cache: model weights and embeddings, shared by all workspaces (`PANELIST_CACHE`)."""
    return Path(os.environ.get("PANELIST_CACHE") or platformdirs.user_cache_dir("panelist"))


def default_workspace() -> Path:
    """The workspace a command uses when `--workspace` is not given (`PANELIST_WORKSPACE`)."""
    return Path(os.environ.get("PANELIST_WORKSPACE") or "panelist.workspace")


def data_dir() -> Path:
    """The real data sets that benchmarks read (`PANELIST_DATA`); `panelist fetch` puts them there."""
    return Path(os.environ.get("PANELIST_DATA") or platformdirs.user_data_dir("panelist"))


def _secret(name: str) -> str | None:
    """A secret of the environment, or of the file that the variable with `_FILE` names."""
    if file := os.environ.get(f"{name}_FILE"):
        return Path(file).read_text(encoding="utf-8").strip()
    return os.environ.get(name) or None


def server_token() -> str | None:
    """The secret that clients of `panelist serve` must give (`PANELIST_TOKEN`, or the file `PANELIST_TOKEN_FILE`)."""
    return _secret("PANELIST_TOKEN")


class OpenId(NamedTuple):
    """An OpenID Connect provider at which users sign in."""

    issuer: str  # its address, exactly as its tokens name it
    client: str  # the id under which it knows this server
    secret: str | None  # that this server shares with it; None where it wants none
    address: str  # of this server, as browsers see it
    claim: str  # of its tokens, which must be the name of a user


def openid() -> OpenId | None:
    """The provider that `PANELIST_OIDC_ISSUER` names; None without.

    The other variables are `PANELIST_OIDC_CLIENT`, `…_SECRET` (or `…_SECRET_FILE`), `…_URL` and `…_CLAIM`.
    """
    issuer, client, address, claim = (
        os.environ.get(f"PANELIST_OIDC_{name}", "") for name in ("ISSUER", "CLIENT", "URL", "CLAIM")
    )
    secret = _secret("PANELIST_OIDC_SECRET")
    return OpenId(issuer, client, secret, address.rstrip("/"), claim or "email") if issuer else None


def trusted_header() -> tuple[str, str] | None:
    """The header by which a proxy names its user, and the proxy's address; None unless both variables are set."""
    header, proxy = os.environ.get("PANELIST_TRUSTED_HEADER"), os.environ.get("PANELIST_TRUSTED_PROXY")
    return (header, proxy) if header and proxy else None


def stay_offline() -> None:
    """Use models that are on this machine only. To be called before anything of the Hugging Face hub is imported."""
    os.environ["HF_HUB_OFFLINE"] = "1"


def site_dir() -> Path | None:
    """The documentation as `make docs` builds it, for the server to show; by default it has none (`PANELIST_DOCS`)."""
    return Path(docs) if (docs := os.environ.get("PANELIST_DOCS")) else None


def source_url(address: str) -> str:
    """The address of a public data set's archive, or that of its copy on a mirror (`PANELIST_MIRROR`)."""
    mirror = os.environ.get("PANELIST_MIRROR")
    return f"{mirror.rstrip('/')}/{address.removeprefix('https://')}" if mirror else address


def openreview_access() -> tuple[str, str, str]:
    """A token, or a user and a password (`PANELIST_OPENREVIEW_TOKEN`, or `…_USER` and `…_PASSWORD`)."""
    token, user, password = (os.environ.get(f"PANELIST_OPENREVIEW_{key}", "") for key in ("TOKEN", "USER", "PASSWORD"))
    return token, user, password
