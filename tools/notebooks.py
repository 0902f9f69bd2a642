"""Run the notebooks of the site and keep their output: ``python tools/notebooks.py [NOTEBOOK …]``."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbclient
import nbformat

from supra_core.files import replacing

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "notebooks"


def run(path: Path) -> nbformat.NotebookNode:
    """A notebook with fresh output; nothing of it is left in the folder of the process.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell that fails.
    """
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        options = {"timeout": 600, "record_timing": False, "coalesce_streams": True}
        nbclient.NotebookClient(notebook, resources={"metadata": {"path": folder}}, **options).execute()
    for cell in notebook.cells:
        # Warnings of other packages name folders of the machine, and are not what a notebook is about.
        if "outputs" in cell:
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    return notebook


def main(arguments: list[str]) -> None:
    """Run some notebooks, or all."""
    for path in [Path(argument) for argument in arguments] or sorted(FOLDER.glob("*.ipynb")):
        notebook = run(path)
        # Versions of the machine's Python are no part of what is shown.
        notebook.metadata["language_info"] = {"name": "python"}
        with replacing(path) as temporary:
            nbformat.write(notebook, temporary)


if __name__ == "__main__":
    main(sys.argv[1:])
