"""Works as OpenAlex gives them, notes as OpenReview does, and what the tests of all readers do with files."""

import gzip
import json
from pathlib import Path

from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport


def work(number=1, **fields):
    return {
        "id": f"W{number}",
        "title": f"Title {number}",
        "abstract_inverted_index": {"an": [0], "abstract": [1]},
    } | fields


def note(number, **content):
    return {"id": f"n{number}", "content": {"title": f"Title {number}", "abstract": f"Abstract {number}"} | content}


def write_works(path, works):
    content = "".join(json.dumps(each) + "\n" for each in works).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def read_all(*paths):
    report = ReadReport()
    return list(openalex.read(paths, report)), report


def reasons(report):
    return [(Path(rejection.file).name, rejection.line, rejection.reason) for rejection in report.rejections]
