"""A real Milvus server for tests: the binary of milvus-lite 2.5, which is Milvus' own engine, on a free port."""

import os
import shutil
import signal
import socket
import subprocess
from importlib.util import find_spec
from pathlib import Path

from waiting import until


def binary():
    """The server, None where milvus-lite is not installed."""
    package = find_spec("milvus_lite")
    folders = list(package.submodule_search_locations or ()) if package else []
    found = [Path(folder, "lib", "milvus") for folder in folders]
    return next((path for path in found if path.is_file()), None)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class LiteServer:
    """A server with its data in a directory; it can be killed and started again at the same address."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.port = free_port()
        self.process = None

    @property
    def engine(self):
        return f"milvus://127.0.0.1:{self.port}"

    def start(self):
        program = binary()
        command = [program, self.directory / "milvus.db", f"127.0.0.1:{self.port}", "ERROR"]
        variables = {**os.environ, "LD_LIBRARY_PATH": str(program.parent)}
        with (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.directory, env=variables, stdout=log, stderr=log)
        until(self.listens)
        return self

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.process.kill()
        self.process.wait()


def old_server():
    """The command of the package milvus 2.3: PANELIST_MILVUS_SERVER, else on the path; None where it is not there."""
    return shutil.which(os.environ.get("PANELIST_MILVUS_SERVER", "milvus-server"))


class OldServer:
    """Milvus 2.3 standalone: the last version that runs without containers. It has vectors, but not BM25."""

    def __init__(self, directory):
        self.directory, self.port = Path(directory), free_port()
        command = [old_server(), "--data", str(self.directory), "--proxy-port", str(self.port)]
        with (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    @property
    def engine(self):
        return f"milvus://127.0.0.1:{self.port}"

    def stop(self):
        self.process.send_signal(signal.SIGINT)  # it ends the server, its child
        self.process.wait(60)
