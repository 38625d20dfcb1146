"""What the reader of PDF files finds in real papers and in papers made with LaTeX, beside what stands in them.

    python benchmarks/documents.py [DIRECTORY]

The directory has PDF files and `truth.csv`, by default `pdfs` of PANELIST_DATA; or `truth.jsonl`, which
`benchmarks/latex_papers.py` wrote. Of real papers a title counts where all its letters are right, an author where the
surname is, references by how near their number is to the counted one, and by whether the first and the last one are the
right ones. Of LaTeX's papers a part counts where it has none of its faults: every name must be right, and no other.
"""

import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from pdf_support import FAULTS, faults, measure  # type: ignore[import-not-found]

from panelist.config import data_dir

COLUMNS = ("title", "authors", "abstract", "references", "first", "last")
PARTS = {
    "title": {"title"},
    "authors": {"lost", "false", "joined"},
    "abstract": {"empty", "begins", "ends", "words"},
    "references": {"references"},
}
# Papers with each fault that the reader of lines alone made, of the 66 papers of seed 42.
BEFORE = {"title": 3, "lost": 22, "false": 26, "joined": 6, "begins": 12, "ends": 15, "words": 4, "references": 12}


def real(directory: Path) -> None:
    """Print one line per paper, then the means."""
    start = time.perf_counter()
    papers = list(measure(directory))
    seconds = time.perf_counter() - start
    print(f"{'file':28}", *(f"{name:>11}" for name in COLUMNS), "  counted")
    for paper in papers:
        print(f"{paper['file']:28}", *(f"{paper[name]:11.3f}" for name in COLUMNS), f"  {paper['counted']}")
    means = (sum(paper[name] for paper in papers) / len(papers) for name in COLUMNS)
    print(f"{'mean':28}", *(f"{mean:11.3f}" for mean in means), f"  {seconds:.1f} s")


def made(directory: Path) -> None:
    """Print the share of papers without a fault by class, then how many papers have each fault."""
    papers = list(faults(directory))
    styles = dict.fromkeys(paper["paper"]["style"] for paper in papers)
    print(f"{'class':24}{'papers':>8}", *(f"{part:>11}" for part in PARTS))
    for style in (*styles, "all"):
        rows = [paper["faults"] for paper in papers if style in ("all", paper["paper"]["style"])]
        shares = (sum(not found & keys for found in rows) / len(rows) for keys in PARTS.values())
        print(f"{style:24}{len(rows):8}", *(f"{share:11.3f}" for share in shares))
    counts = Counter(key for paper in papers for key in paper["faults"])
    known = len(papers) == 66 and papers[0]["paper"]["seed"] == 42
    print(f"\n{'fault (papers that have it)':40}{'before':>8}{'now':>8}")
    for key, words in FAULTS.items():
        print(f"{words:40}{BEFORE.get(key, 0) if known else '–':>8}{counts[key]:8}")


def main() -> None:
    """Measure the papers of a directory."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else data_dir() / "pdfs"
    (made if (directory / "truth.jsonl").exists() else real)(directory)


if __name__ == "__main__":
    main()
