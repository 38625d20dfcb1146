"""Where a Milvus server is, and who asks. Secrets stay in the environment."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from panelist.config import milvus_uri
from panelist.errors import InputError

_PORT = 19_530


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, without any secret: `milvus://HOST:PORT/DATABASE` (`milvuss://` with TLS)."""

    secure: bool
    host: str
    port: int
    database: str = ""

    def __str__(self) -> str:
        scheme = "milvuss" if self.secure else "milvus"
        return f"{scheme}://{self.host}:{self.port}{f'/{self.database}' if self.database else ''}"


def is_milvus(engine: str) -> bool:
    """Whether the name of an engine is the address of a Milvus server."""
    return engine == "milvus" or engine.startswith(("milvus:", "milvuss:"))


def address_of(engine: str) -> Address:
    """The address that names an engine; plain `milvus` is that of `PANELIST_MILVUS_URI`. None may have a password."""
    if engine == "milvus":
        configured = milvus_uri()
        if configured is None:
            raise InputError("which Milvus server? Give milvus://HOST:PORT, or set PANELIST_MILVUS_URI")
        return parse_address(configured)[0]
    address, secret = parse_address(engine)
    if secret:
        raise InputError(
            f"the address of the Milvus server at '{address.host}' has a password, which would be stored with the "
            "index: leave it out, and set PANELIST_MILVUS_URI to the whole address"
        )
    return address


def parse_address(uri: str) -> tuple[Address, str]:
    """The address, and the secret `user:password` or token that stands in it."""
    try:
        url = urlsplit(uri)
        port = url.port or _PORT
    except ValueError:
        url, port = urlsplit(""), _PORT
    if url.scheme not in ("milvus", "milvuss") or not url.hostname or url.query or url.fragment:
        shown = uri.rpartition("@")[2]
        raise InputError(f"'{shown}' is not the address of a Milvus server: expected milvus://HOST:PORT")
    secret = url.netloc.rpartition("@")[0]
    return Address(url.scheme == "milvuss", url.hostname, port, url.path.strip("/")), secret
