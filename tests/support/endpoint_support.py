"""The endpoint of a language model for tests: it answers as it is told, and also fails, stalls and says nonsense."""

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Endpoint(ThreadingHTTPServer):
    """Answers from `plan`, a list of (status, headers, content or None to stall), then with `default`.

    Attributes:
        url: its address.
        requests: (path, headers, body) of each, in order.
        most: how many it has answered at the same time.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.plan, self.default, self.requests = [], {}, []
        self.active = self.most = 0
        self.lock, self.closing = threading.Lock(), threading.Event()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.active += 1
            server.most = max(server.most, server.active)
            server.requests.append((self.path, dict(self.headers), body))
            status, headers, content = server.plan.pop(0) if server.plan else (200, {}, server.default)
        if content is None:
            server.closing.wait()
        text = content if isinstance(content, str) else json.dumps(content)
        data = json.dumps({"choices": [{"message": {"content": text}}]}).encode() if status == 200 else b"no"
        with server.lock:
            server.active -= 1
        with suppress(OSError):  # the client did not wait
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(data))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    def log_message(self, *_):
        pass
