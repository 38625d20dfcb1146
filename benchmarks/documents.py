"""What the reader of PDF files finds in real papers, beside what stands in them.

    python benchmarks/documents.py [DIRECTORY]

The directory has PDF files and `truth.csv`; by default `pdfs` of PANELIST_DATA. A title counts where all its letters
are right, an author where the surname is, references by how near their number is to the counted one, and by whether the
first and the last one are the right ones.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from pdf_support import measure  # type: ignore[import-not-found]

from panelist.config import data_dir

COLUMNS = ("title", "authors", "abstract", "references", "first", "last")


def main() -> None:
    """Print one line per paper, then the means."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else data_dir() / "pdfs"
    start = time.perf_counter()
    papers = list(measure(directory))
    seconds = time.perf_counter() - start
    print(f"{'file':28}", *(f"{name:>11}" for name in COLUMNS), "  counted")
    for paper in papers:
        print(f"{paper['file']:28}", *(f"{paper[name]:11.3f}" for name in COLUMNS), f"  {paper['counted']}")
    means = (sum(paper[name] for paper in papers) / len(papers) for name in COLUMNS)
    print(f"{'mean':28}", *(f"{mean:11.3f}" for mean in means), f"  {seconds:.1f} s")


if __name__ == "__main__":
    main()
