"""Encoding with the default model against `SentenceTransformer.encode(batch_size=32)`, same texts, same run.

    python benchmarks/encode.py [--count 2000] [--rounds 8]

The texts are eLife's titles and abstracts. They are cut into rounds; in each, both paths encode the same texts one
after the other, in alternating order, so that other work on the machine meets both. The median of the rounds' ratios
counts. --precision float32 measures ONNX Runtime where OpenVINO would be chosen.
Exits with 1 where it is below the bar, or where the vectors are not faithful.
"""

import argparse
import itertools
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import DEFAULT_ENCODER, load_encoder
from indexing.encoders.models import find_model
from indexing.jobs.manifest import EncoderIdentity
from indexing.text import Text
from panelist.config import data_dir
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport

MIN_RATIO = {"float32": 1.3, "bfloat16": 3.0}
"""By the precision that `auto` chooses: bfloat16 where OpenVINO is installed and the processor has AVX512-BF16."""
MIN_MEAN_COSINE = 0.995

Path = Callable[[list[Text]], NDArray[np.float32]]


def read_texts(count: int) -> list[Text]:
    """The first `count` eLife papers."""
    papers = openalex.read([data_dir() / "elife" / "works"], ReadReport())
    return [Text(paper.title, paper.abstract) for paper in itertools.islice(papers, count)]


def baseline() -> Path:
    """The plain use of sentence-transformers."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(find_model(DEFAULT_ENCODER).path), device="cpu")
    return lambda texts: model.encode([text.plain() for text in texts], batch_size=32, show_progress_bar=False)


def main() -> int:
    """Measure and print; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="texts to encode")
    parser.add_argument("--rounds", type=int, default=8, help="rounds to cut them into")
    parser.add_argument("--precision", default="auto", help="of Panelist's path")
    arguments = parser.parse_args()

    texts = read_texts(arguments.count)
    encoder = load_encoder(precision=arguments.precision)
    precision = EncoderIdentity.of(encoder).precision
    bar = MIN_RATIO[precision]
    paths: dict[str, Path] = {"sentence-transformers": baseline(), "panelist": encoder.encode}
    for encode in paths.values():
        encode(texts[:8])  # first calls allocate
    seconds: dict[str, list[float]] = {name: [] for name in paths}
    cosines = []
    for number in range(arguments.rounds):
        part = texts[number :: arguments.rounds]
        vectors = {}
        for name in list(paths)[:: 1 if number % 2 == 0 else -1]:
            start = time.perf_counter()
            vectors[name] = paths[name](part)
            seconds[name].append(time.perf_counter() - start)
        cosines.append((vectors["sentence-transformers"] * vectors["panelist"]).sum(axis=1))

    print(f"{'precision':22} {precision:>8}")
    for name, times in seconds.items():
        print(f"{name:22} {len(texts) / sum(times):8.1f} texts/s")
    ratios = np.divide(seconds["sentence-transformers"], seconds["panelist"])
    ratio = float(np.median(ratios))
    print(f"{'ratio':22} {ratio:8.2f} (rounds {ratios.min():.2f} to {ratios.max():.2f}; bar {bar})")
    cosine = np.concatenate(cosines)
    print(f"{'cosine':22} {cosine.mean():8.6f} mean, {cosine.min():.6f} least (bar {MIN_MEAN_COSINE} mean)")
    return 0 if ratio >= bar and cosine.mean() >= MIN_MEAN_COSINE else 1


if __name__ == "__main__":
    sys.exit(main())
