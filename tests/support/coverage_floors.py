"""Compare what a run of the suite covered with the floors in pyproject.toml, by package; exits with 1 below one.

python tests/support/coverage_floors.py build/coverage.json
"""

import json
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

SETTINGS = Path(__file__).parents[2] / "pyproject.toml"


def shares(files, packages):
    """Per cent of lines and branches that were run, by package; a file is of the longest that begins its path."""
    counts = defaultdict(lambda: [0, 0])
    for path, record in files.items():
        package = max((name for name in packages if path.startswith(f"{name}/")), key=len)
        summary = record["summary"]
        counts[package][0] += summary["covered_lines"] + summary["covered_branches"]
        counts[package][1] += summary["num_statements"] + summary["num_branches"]
    return {package: 100 * covered / all_ for package, (covered, all_) in counts.items()}


def main(report):
    floors = tomllib.loads(SETTINGS.read_text())["tool"]["panelist"]["coverage"]
    found = shares(json.loads(Path(report).read_text())["files"], floors)
    for package, floor in floors.items():
        share = found.get(package, 0.0)
        sys.stdout.write(f"{package:14} {share:5.1f} %  (at least {floor}){'' if share >= floor else '  BELOW'}\n")
    return int(any(found.get(package, 0.0) < floor for package, floor in floors.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
