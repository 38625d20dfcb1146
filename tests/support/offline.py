"""Runs a command without a network and tells every name that it tried to look up.

    unshare --map-root-user --net --mount python tests/support/offline.py NAMES.txt COMMAND …

The command gets an empty network namespace in which only this process answers, as the resolver: it writes down each
name and answers that it does not exist.
"""

import fcntl
import socket
import struct
import subprocess
import sys
import tempfile
import threading

SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1


def name_of(query):
    """The name in a DNS query: length-prefixed labels after a header of 12 bytes."""
    labels, position = [], 12
    while query[position]:
        labels.append(query[position + 1 : position + 1 + query[position]].decode("ascii", "replace"))
        position += 1 + query[position]
    return ".".join(labels)


def resolve(server, file):
    while True:
        query, client = server.recvfrom(4096)
        file.write(f"{name_of(query)}\n")
        file.flush()
        # The same question back, as a response (0x8000) with recursion (0x0100, 0x0080) and 'no such name' (3).
        server.sendto(query[:2] + struct.pack("!H", 0x8183) + query[4:6] + b"\0" * 6 + query[12:], client)


def main():
    names, command = sys.argv[1], sys.argv[2:]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as interface:
        fcntl.ioctl(interface, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as settings:
        settings.write("nameserver 127.0.0.1\n")
        settings.flush()
        subprocess.run(["mount", "--bind", settings.name, "/etc/resolv.conf"], check=True)
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    with open(names, "w") as file:
        threading.Thread(target=resolve, args=(server, file), daemon=True).start()
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
