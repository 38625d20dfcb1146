"""Tagging reviews against the same pipeline in sentence-transformers and scikit-learn, same reviews, same run.

    python benchmarks/reviews.py [--count 100] [--rounds 4]

The reviews are PeerRead's. Both paths get the same sentences and compute the same n-grams, vectors and layers. The peer
uses `TfidfVectorizer` and the layers of a `SentenceTransformer` as their users would. In each round both tag the same
reviews in alternating order; the median of the rounds' ratios counts. The brief of papers is timed beside it, and the
checks for wrong papers and shared text. Exits with 1 below a bar, or where probabilities differ.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import orjson

from eval.reviews.checks.reuse import find_shared_text
from eval.reviews.checks.wrong_paper import match_papers
from eval.reviews.reading.files import read_review_file
from eval.reviews.reading.sentences import Sentence, split
from eval.reviews.tagging.features import BLOCKS, shape
from eval.reviews.tagging.model import TaggerModel
from eval.reviews.tagging.outputs import inputs, probabilities
from eval.reviews.tagging.tagger import Tagger
from eval.reviews.writing.brief import make_brief
from indexing.encoders import DEFAULT_ENCODER
from indexing.encoders.models import find_model
from panelist.config import data_dir

MIN_RATIO = 1.5
MAX_BRIEF_SECONDS = 2.0

Path = Callable[[list[list[Sentence]]], dict[str, np.ndarray]]


def peer() -> Path:
    """The pipeline as one would write it with sentence-transformers and scikit-learn."""
    import scipy.sparse as sp
    import torch
    from sentence_transformers import SentenceTransformer
    from sklearn.feature_extraction.text import TfidfVectorizer

    model = TaggerModel.load()
    encoder = SentenceTransformer(str(find_model(DEFAULT_ENCODER).path), device="cpu")
    vectorizers = {}
    for name, words in model.features.vocabularies_.items():
        block = BLOCKS[name]
        vectorizer = TfidfVectorizer(
            analyzer=block.analyzer, ngram_range=block.ngrams, sublinear_tf=True, vocabulary=words, dtype=np.float64
        )
        vectorizer.idf_ = model.features.idf_[name].astype(np.float64)
        vectorizers[name] = vectorizer

    bert = encoder[0].auto_model

    def encode(texts: Sequence[str]) -> np.ndarray:
        """All layers, pooled over the tokens that are not padding, in batches of 32 sorted by length."""
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        pooled = np.empty((len(texts), 7 * bert.config.hidden_size), np.float32)
        for start in range(0, len(order), 32):
            rows = order[start : start + 32]
            tokens = encoder.tokenizer(
                [texts[row] for row in rows], padding=True, truncation=True, max_length=256, return_tensors="pt"
            )
            with torch.inference_mode():
                layers = bert(**tokens, output_hidden_states=True).hidden_states[1:]
                mask = tokens["attention_mask"][:, :, None]
                means = [(layer * mask).sum(1) / mask.sum(1) for layer in layers[1:]]
                maxima = [layer.masked_fill(mask == 0, -1e9).amax(1) for layer in (layers[2], layers[4])]
                pooled[rows] = torch.cat([*means, *maxima], 1).numpy()
        return pooled

    def tag(reviews: list[list[Sentence]]) -> dict[str, np.ndarray]:
        sentences = [sentence for review in reviews for sentence in review]
        texts = [sentence.text for sentence in sentences]
        first = np.array([n == 0 for review in reviews for n in range(len(review))])
        last = np.array([n == len(review) - 1 for review in reviews for n in range(len(review))])
        sources = {
            "text": texts,
            "previous": ["" if f else t for f, t in zip(first, ["", *texts[:-1]], strict=True)],
            "next": ["" if e else t for e, t in zip(last, [*texts[1:], ""], strict=True)],
            "heading": [sentence.heading for sentence in sentences],
        }
        blocks = [v.transform(sources[BLOCKS[name].source]) * BLOCKS[name].weight for name, v in vectorizers.items()]
        shapes = np.array([row for review in reviews for row in shape(review)], float) * 0.5
        linear = sp.hstack([*blocks, sp.csr_matrix(shapes)]).tocsr() @ model.linear.weights + model.linear.bias
        own = encode(texts)
        known = {heading: row for row, heading in enumerate(dict.fromkeys(sources["heading"]))}
        width = bert.config.hidden_size
        beside = own[:, 2 * width : 3 * width]
        headings = encode(list(known))[:, 2 * width : 3 * width][[known[s.heading] for s in sentences]]
        headings = headings * np.array([bool(s.heading) for s in sentences])[:, None]
        before, after = np.roll(beside, 1, 0) * ~first[:, None], np.roll(beside, -1, 0) * ~last[:, None]
        vectors = np.hstack([own, before, after, headings])
        heads = vectors @ model.heads.weights + model.heads.bias
        starts = np.cumsum([0, *map(len, reviews)])
        seen = inputs([linear, heads, model.network(vectors, starts)], starts)
        return probabilities(model.tasks, model.second["full"](seen))

    return tag


def main() -> int:
    """Measure and print; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="reviews to tag")
    parser.add_argument("--rounds", type=int, default=4, help="rounds to cut them into")
    arguments = parser.parse_args()

    file = read_review_file(data_dir() / "reviews" / "peerread.jsonl.gz")
    reviews = [split(review.text) for review in file.reviews[: arguments.count]]
    paths: dict[str, Path] = {"sentence-transformers": peer(), "panelist": Tagger.load().chances}
    for tag in paths.values():
        tag(reviews[:2])
    seconds: dict[str, list[float]] = {name: [] for name in paths}
    difference = 0.0
    for number in range(arguments.rounds):
        part = reviews[number :: arguments.rounds]
        found = {}
        for name in list(paths)[:: 1 if number % 2 == 0 else -1]:
            start = time.perf_counter()
            found[name] = paths[name](part)
            seconds[name].append(time.perf_counter() - start)
        for task, chances in found["panelist"].items():
            difference = max(difference, float(np.abs(chances - found["sentence-transformers"][task]).max()))
    for name, times in seconds.items():
        rate, sentences = len(reviews) / sum(times), sum(map(len, reviews)) / sum(times)
        print(f"{name:22} {rate:8.2f} reviews/s, {sentences:8.1f} sentences/s")
    ratios = np.divide(seconds["sentence-transformers"], seconds["panelist"])
    ratio = float(np.median(ratios))
    print(f"{'ratio':22} {ratio:8.2f} (rounds {ratios.min():.2f} to {ratios.max():.2f}; bar {MIN_RATIO})")
    print(f"{'largest difference':22} {difference:8.4f} of a probability")

    fast = Tagger.load(fast=True)
    start = time.perf_counter()
    fast.chances(reviews)
    print(f"{'panelist, --fast':22} {len(reviews) / (time.perf_counter() - start):8.2f} reviews/s")
    start = time.perf_counter()
    find_shared_text(file.reviews)
    print(f"{'shared text':22} {time.perf_counter() - start:8.2f} s for {len(file.reviews):,} reviews")
    start = time.perf_counter()
    match_papers(file.reviews, file.papers)
    print(f"{'wrong papers':22} {time.perf_counter() - start:8.2f} s for {len(file.reviews):,} reviews")
    slowest = brief_seconds()
    print(f"{'brief':22} {np.mean(slowest):8.2f} s per paper, {max(slowest):.2f} s at most (bar {MAX_BRIEF_SECONDS})")
    return 0 if ratio >= MIN_RATIO and difference < 0.01 and np.mean(slowest) <= MAX_BRIEF_SECONDS else 1


def brief_seconds(count: int = 10) -> list[float]:
    """Seconds for the brief of each of some full papers of the gold standard."""
    import gzip

    times = []
    with gzip.open(data_dir() / "goldstandard" / "fulltexts.jsonl.gz") as lines:
        for _, line in zip(range(count), lines, strict=False):
            text = orjson.loads(line)["text"]
            start = time.perf_counter()
            make_brief(text)
            times.append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    sys.exit(main())
