"""Runs the notebooks; as a script (`make notebooks`) it stores what they show, so that readers see it on the web."""

import os
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def run(path: Path, directory: Path) -> nbformat.NotebookNode:
    """Run a notebook in a directory; nothing of the user's settings enters."""
    notebook = nbformat.read(path, as_version=4)
    # `python3` is this very interpreter: the client makes that kernel up, nothing has to be installed for it.
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(directory)}}
    )
    client.execute()
    return notebook


def set_up(directory: Path, setenv) -> None:
    """Keep settings and state of Jupyter below the directory."""
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"):
        setenv(name, str(directory / name.lower()))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        set_up(Path(temporary), os.environ.__setitem__)
        for name in ("PANELIST_DATA", "PANELIST_WORKSPACE", "PANELIST_MONGO_URI"):
            os.environ.pop(name, None)
        for path in NOTEBOOKS:
            made = run(path, Path(temporary))
            for cell in made.cells:
                cell.metadata.pop("execution", None)  # when it ran, which changes every time
            made.metadata.pop("language_info", None)
            nbformat.write(made, path)
