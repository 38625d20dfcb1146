"""A real Dask cluster for tests: a scheduler and worker processes, each with its nanny, of this interpreter."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


class Cluster:
    """A scheduler on a free port with some workers of one thread each."""

    def __init__(self, directory, workers):
        self.directory = Path(directory)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        paths = [str(ROOT), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
        self.variables = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
        self.scheduler = self.start("dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        self.workers = [self.start_worker() for _ in range(workers)]
        self.wait_for(workers)

    @property
    def name(self):
        return f"dask://127.0.0.1:{self.port}"

    def start(self, module, *arguments):
        command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{module}", *arguments]
        with (self.directory / f"{module}.log").open("ab") as log:
            return subprocess.Popen(command, cwd=self.directory, env=self.variables, stdout=log, stderr=log)

    def start_worker(self):
        address = f"tcp://127.0.0.1:{self.port}"
        return self.start("dask_worker", address, "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")

    def pids(self):
        """The process of each worker, below its nanny."""
        from distributed import Client

        with Client(f"tcp://127.0.0.1:{self.port}", set_as_default=False, timeout=60) as client:
            return sorted(client.run(os.getpid).values())

    def wait_for(self, workers):
        from distributed import Client

        deadline = time.monotonic() + 300
        while True:
            try:
                with Client(f"tcp://127.0.0.1:{self.port}", set_as_default=False, timeout=5) as client:
                    client.wait_for_workers(workers, timeout=100)
                    return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def close(self):
        for process in (*self.workers, self.scheduler):
            process.terminate()
        for process in (*self.workers, self.scheduler):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
