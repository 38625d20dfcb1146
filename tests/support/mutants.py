"""Change the code of a room in one place at a time, and see whether a test notices: mutation testing with mutmut 3.

python tests/support/mutants.py names DIRECTORY ['*[05]' for a fifth of the changes]

`pip install mutmut` first, into an environment of its own or this one. The directory gets a copy of the tree, in which
`python -m mutmut results` lists what survived, and `python -m mutmut show NAME` shows one.
"""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFLICTS = "tests/retriever/conference"

ROOMS = {
    "names": (
        ["panelist/corpus/identity.py", "retriever/conference/names.py"],
        ["tests/panelist/corpus/test_identity.py"],
    ),
    "table": (
        [f"retriever/conference/conflicts/{name}.py" for name in ("table", "declared", "rules")],
        [f"{CONFLICTS}/conflicts/test_{name}.py" for name in ("table", "files", "leaks")],
    ),
    "conflicts": (
        [f"retriever/conference/conflicts/{name}.py" for name in ("finder", "held", "colleagues")],
        [f"{CONFLICTS}/test_{name}.py" for name in ("leaks", "evidence")]
        + [
            f"{CONFLICTS}/conflicts/test_{name}.py"
            for name in ("checked", "evidence", "held", "lineage", "other_forms", "table")
        ],
    ),
    "access": (
        ["panelist/app/access/*.py"],
        [f"tests/panelist/app/access/test_{name}.py" for name in ("users", "roles")],
    ),
}
"""By room: what is changed, and the tests that should notice, quick ones: a mutant runs them until one fails."""


def write_open(path: Path, *, applied: bool) -> None:
    """Write a module of the copy without caches, which would answer with what the unchanged code found.

    Where it is to be changed, `applied`, other decorators become calls: mutmut leaves decorated functions alone.
    """
    source = path.read_text()
    lines = source.split("\n")
    bodies = [node.body for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Module | ast.ClassDef)]
    functions = [node for body in bodies for node in body if isinstance(node, ast.FunctionDef) and node.decorator_list]
    for function in sorted(functions, key=lambda function: -function.lineno):
        texts = [ast.unparse(decorator) for decorator in function.decorator_list]
        kept = [text for text in texts if not text.startswith(("lru_cache", "cache(")) and text != "cache"]
        if kept in (["classmethod"], ["staticmethod"]) or (kept == texts and not applied):
            continue
        indent = " " * function.col_offset
        called = function.name
        for text in reversed(kept):
            called = f"{text}({called})"
        lines[function.end_lineno : function.end_lineno] = [f"{indent}{function.name} = {called}"] if kept else []
        del lines[function.decorator_list[0].lineno - 1 : function.lineno - 1]
    path.write_text("\n".join(lines))


def main(room: str, directory: str, *chosen: str) -> int:
    modules, tests = ROOMS[room]
    copy = Path(directory).resolve()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    changed = {path for pattern in modules for path in copy.glob(pattern)}
    for path in (path for folder in ("panelist", "indexing", "retriever") for path in (copy / folder).rglob("*.py")):
        write_open(path, applied=path in changed)
    # Each mutant runs in a copy of one process, which leaves what fixtures opened: no test is about that.
    options = ["-p", "no:cacheprovider", "-p", "no:unraisableexception"]
    options += ["-o", "timeout=0", "-o", "addopts=--import-mode=importlib"]
    with (copy / "pyproject.toml").open("a") as file:
        file.write('\n[tool.mutmut]\nsource_paths = ["panelist", "indexing", "retriever", "eval"]\n')
        file.write(f"only_mutate = {modules}\npytest_add_cli_args = {options}\n")
        file.write(f"pytest_add_cli_args_test_selection = {tests}\n")
    environment = os.environ | {"PANELIST_DATA": str(copy / "no-data")}
    return subprocess.run(
        [sys.executable, "-m", "mutmut", "run", *chosen], cwd=copy, env=environment, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
