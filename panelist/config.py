"""Where things are by default. Environment variables are read here and nowhere else."""

import os
from pathlib import Path
from typing import NamedTuple

import platformdirs


def cache_dir() -> Path:
    """The user's cache: model weights and embeddings, shared by all workspaces (`PANELIST_CACHE`)."""
    return Path(os.environ.get("PANELIST_CACHE") or platformdirs.user_cache_dir("panelist"))


def default_workspace() -> Path:
    """The workspace a command uses when `--workspace` is not given (`PANELIST_WORKSPACE`)."""
    return Path(os.environ.get("PANELIST_WORKSPACE") or "panelist.workspace")


def data_dir() -> Path:
    """The real data sets that benchmarks read (`PANELIST_DATA`); `panelist fetch` puts them there."""
    return Path(os.environ.get("PANELIST_DATA") or platformdirs.user_data_dir("panelist"))


def mongo_uri() -> str | None:
    """A MongoDB server to keep the corpus in, instead of SQLite (`PANELIST_MONGO_URI`)."""
    return os.environ.get("PANELIST_MONGO_URI") or None


def milvus_uri() -> str | None:
    """The Milvus server, with user and password where it wants them (`PANELIST_MILVUS_URI`)."""
    return os.environ.get("PANELIST_MILVUS_URI") or None


def _secret(name: str) -> str | None:
    """A secret of the environment, or of the file that the variable with `_FILE` names."""
    if file := os.environ.get(f"{name}_FILE"):
        return Path(file).read_text(encoding="utf-8").strip()
    return os.environ.get(name) or None


def token() -> str | None:
    """The secret that clients of `panelist serve` must give (`PANELIST_TOKEN`, or the file `PANELIST_TOKEN_FILE`)."""
    return _secret("PANELIST_TOKEN")


class OpenId(NamedTuple):
    """An OpenID Connect provider at which users sign in.

    Attributes:
        issuer: its address, exactly as its tokens name it.
        client: the id under which it knows this server.
        secret: that this server shares with it; None where it wants none.
        address: of this server, as browsers see it.
        claim: of its tokens, which must be the name of a user.
    """

    issuer: str
    client: str
    secret: str | None
    address: str
    claim: str


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
    """The header by which a proxy names its user, and the proxy's address.

    They are `PANELIST_TRUSTED_HEADER` and `PANELIST_TRUSTED_PROXY`, which need each other; None without both.
    """
    header, proxy = os.environ.get("PANELIST_TRUSTED_HEADER"), os.environ.get("PANELIST_TRUSTED_PROXY")
    return (header, proxy) if header and proxy else None


def stay_offline() -> None:
    """Use models that are on this machine only. To be called before anything of the Hugging Face hub is imported."""
    os.environ["HF_HUB_OFFLINE"] = "1"


def openalex_url() -> str:
    """The OpenAlex API (`PANELIST_OPENALEX_URL`)."""
    return os.environ.get("PANELIST_OPENALEX_URL") or "https://api.openalex.org"


def openalex_key() -> str | None:
    """The key for the OpenAlex API, free at openalex.org/settings/api (`PANELIST_OPENALEX_KEY`)."""
    return os.environ.get("PANELIST_OPENALEX_KEY") or None


def semanticscholar_url() -> str:
    """The Semantic Scholar API (`PANELIST_SEMANTICSCHOLAR_URL`)."""
    return os.environ.get("PANELIST_SEMANTICSCHOLAR_URL") or "https://api.semanticscholar.org/graph/v1"


def grobid_url() -> str | None:
    """A GROBID server to which manuscripts are sent to be read; by default there is none (`PANELIST_GROBID_URL`)."""
    return os.environ.get("PANELIST_GROBID_URL") or None


def site_dir() -> Path | None:
    """The documentation as `make docs` builds it, for the server to show; by default it has none (`PANELIST_DOCS`)."""
    return Path(docs) if (docs := os.environ.get("PANELIST_DOCS")) else None


def llm_url() -> str:
    """The OpenAI-compatible endpoint of the affinity model `llm` (`PANELIST_LLM_URL`)."""
    return os.environ.get("PANELIST_LLM_URL") or "https://api.openai.com/v1"


def llm_key() -> str | None:
    """The key for that endpoint, where it wants one (`PANELIST_LLM_KEY`)."""
    return os.environ.get("PANELIST_LLM_KEY") or None


def source_url(address: str) -> str:
    """The address of a public data set's archive, or that of its copy on a mirror (`PANELIST_MIRROR`)."""
    mirror = os.environ.get("PANELIST_MIRROR")
    return f"{mirror.rstrip('/')}/{address.removeprefix('https://')}" if mirror else address


def openreview_url() -> str:
    """OpenReview's API of version 2 (`PANELIST_OPENREVIEW_URL`)."""
    return os.environ.get("PANELIST_OPENREVIEW_URL") or "https://api2.openreview.net"


def openreview_old_url() -> str:
    """OpenReview's API of version 1, which has older publications (`PANELIST_OPENREVIEW_OLD_URL`)."""
    return os.environ.get("PANELIST_OPENREVIEW_OLD_URL") or "https://api.openreview.net"


def openreview_access() -> tuple[str, str, str]:
    """A token, or a user and a password (`PANELIST_OPENREVIEW_TOKEN`, or `…_USER` and `…_PASSWORD`)."""
    token, user, password = (
        os.environ.get(f"PANELIST_OPENREVIEW_{name}", "") for name in ("TOKEN", "USER", "PASSWORD")
    )
    return token, user, password
