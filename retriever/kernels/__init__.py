"""The kernels of look-up, each in the module of its stage; their slow twins are in `tests/agreement/`."""

from indexing.kernels import load_in_background, load_kernels
from panelist.progress import Progress, silent

LOOKUP = (
    "retriever.kernels.aggregate",
    "retriever.kernels.careers",
    "retriever.kernels.ranking",
    "retriever.kernels.conflicts",
    "retriever.kernels.diversity",
    "indexing.lexical.bm25s_kernel",
    "indexing.tables.reference_kernel",
)
"""The modules that a look-up needs."""

MODULES = (
    *LOOKUP,
    "retriever.affinity.kernels.output",
    "retriever.affinity.kernels.pooling",
    "retriever.affinity.kernels.evidence",
    "retriever.affinity.kernels.similarity",
    "retriever.affinity.kernels.sparse",
    "retriever.assignment.kernels.flow",
    "retriever.assignment.kernels.chains",
    "retriever.assignment.kernels.rounding",
    "retriever.assignment.kernels.ascent",
)
"""All modules of kernels: a new one is added here."""


def compile_kernels(progress: Progress = silent) -> None:
    """Compile all kernels to numba's cache on disk, as far as they are not there yet."""
    load_kernels(MODULES, progress)


def load_lookup_kernels(progress: Progress = silent) -> None:
    """Load the kernels of look-up in a thread, while the caller starts the engines."""
    load_in_background(LOOKUP, progress)
