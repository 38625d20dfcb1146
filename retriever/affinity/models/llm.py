"""Scoring by a language model behind any OpenAI-compatible endpoint: one question per pair, an integer from 0 to 100.

The question contains the reviewer's papers and the new paper, as in Stelmakh et al. (2023, Appendix D). Answers are
kept on disk, so that an interrupted run resumes where it stopped, and a repeated one costs nothing. The gold standard's
authors found off-the-shelf language models worse than the other models here, and more expensive.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np

from indexing.text import Text
from panelist.config import cache_dir, llm_url
from panelist.corpus.documents import batches
from panelist.errors import InputError
from panelist.http.llm import Form, LlmClient
from panelist.keyed_file import KeyedFile, key_of
from panelist.progress import Progress, silent
from retriever.affinity.model import BlockModel, Blocks, MatrixBlocks
from retriever.affinity.profiles import Document, Documents, Profiles

INSTRUCTIONS = (
    "You help the chairs of a scientific conference to find expert reviewers. You are given papers that a researcher "
    "has written and a paper that was submitted. Judge from the content alone how well the researcher's own work "
    "prepares them to review the submission: 0 means that they could not follow it, 50 that they know the wider area, "
    "100 that they work on exactly its topic with its methods. Use the whole range and fine steps. "
    'Answer with JSON only, such as {"score": 37}.'
)
Question = tuple[tuple[int, int], bytes, str]
"""Submission and reviewer, the key of the question about them, and the question."""

_CHARACTERS_PER_TOKEN = 4  # of English prose, roughly
_TOKENS_OUT = 10
_AHEAD = 4  # questions waiting per question that is being asked: memory does not grow


def _read_score(answer: Any) -> int:
    """`{"score": 37}` or the bare number."""
    score = answer.get("score") if isinstance(answer, dict) else answer
    if type(score) is not int or not 0 <= score <= 100:
        raise ValueError(f"not an integer from 0 to 100 ({str(score)[:50]})")
    return score


_SCORE = Form(
    "score",
    {
        "type": "object",
        "properties": {"score": {"type": "integer", "description": "expertise, from 0 to 100"}},
        "required": ["score"],
        "additionalProperties": False,
    },
    _read_score,
)


class LlmModel(BlockModel):
    """Asks a language model about every pair."""

    def __init__(
        self,
        model: str = "gpt-4o-mini",  # its name at the endpoint
        *,
        endpoint: str | None = None,  # ends before `/chat/completions` [default: $PANELIST_LLM_URL, or OpenAI's]
        papers: int = 10,  # how many papers of a profile are shown
        words: int = 200,  # how many words of an abstract are shown
        concurrency: int = 8,  # how many questions are asked at once
        retries: int = 5,  # how often a question is asked again after an error or an answer without a score
        timeout: float = 60.0,  # seconds to wait for an answer
        price_in: float | None = None,  # of a million tokens of a question, for the estimate
        price_out: float | None = None,  # of a million tokens of an answer
        cache: str | None = None,  # the file of answers [default: in the user's cache]
    ) -> None:
        if min(papers, words, concurrency) < 1 or retries < 0 or timeout <= 0:
            raise InputError("llm needs papers, words and concurrency of at least 1, retries of at least 0, a timeout")
        self.model, self.endpoint = model, endpoint or llm_url()
        self.papers, self.words, self.concurrency = papers, words, concurrency
        self.retries, self.timeout = retries, timeout
        self.price_in, self.price_out = price_in, price_out
        file = cache_dir() / "llm" / "answers.sqlite" if cache is None else Path(cache)
        self._answers = KeyedFile(file, "answer", "score INTEGER", "file of answers", "name another one")

    def estimate(self, submissions: Documents, profiles: Sequence[Documents]) -> str:
        """Calls and tokens, and what they cost where prices are known; answers on disk cost nothing."""
        calls = characters = stored = 0
        for batch in batches(self._questions(submissions, Profiles.of(profiles)), 1000):
            answers = self._answers.get([key for _, key, _ in batch])
            new = [question for _, key, question in batch if key not in answers]
            stored += len(batch) - len(new)
            calls += len(new)
            characters += sum(len(INSTRUCTIONS) + len(question) for question in new)
        tokens = characters // _CHARACTERS_PER_TOKEN
        text = (
            f"{calls:,} calls of {self.model} at {self.endpoint}, about {tokens:,} tokens in and "
            f"{calls * _TOKENS_OUT:,} out ({stored:,} answers are already on disk)"
        )
        if self.price_in is not None or self.price_out is not None:
            price = (tokens * (self.price_in or 0) + calls * _TOKENS_OUT * (self.price_out or 0)) / 1e6
            text += f", about {price:,.2f} at the given prices"
        return text

    def prepare(self, submissions: Documents, profiles: Sequence[Documents], progress: Progress = silent) -> Blocks:
        """Ask about every pair whose answer is not on disk."""
        collected = Profiles.of(profiles)
        scores = np.zeros((len(submissions), len(profiles)), dtype=np.float32)
        questions = self._questions(submissions, collected)
        done, total = 0, int(np.count_nonzero(collected.lengths)) * len(submissions)
        with LlmClient(self.endpoint, self.model, self.retries, self.timeout) as client:
            for batch in batches(questions, self.concurrency * _AHEAD):
                answers = self._answers.get([key for _, key, _ in batch])
                self._ask(client, [(key, question) for _, key, question in batch if key not in answers], answers)
                for pair, key, _ in batch:
                    scores[pair] = answers[key]
                done += len(batch)
                progress("asking", done, total)
        return MatrixBlocks(scores)

    def _questions(self, submissions: Documents, profiles: Profiles) -> Iterator[Question]:
        """The questions about all pairs, made when they are asked."""
        texts = [_shown(submission, self.words) for submission in submissions]
        for reviewer in np.flatnonzero(profiles.lengths).tolist():
            members = profiles.members[profiles.starts[reviewer] : profiles.starts[reviewer + 1]]
            papers = [profiles.papers[paper] for paper in members[: self.papers].tolist()]
            profile = "\n\n".join(f"Paper {n}\n{_shown(p, self.words)}" for n, p in enumerate(papers, 1))
            for number, text in enumerate(texts):
                question = f"Papers of the researcher\n\n{profile}\n\nThe submission\n\n{text}"
                yield (number, reviewer), key_of(self.endpoint, self.model, INSTRUCTIONS, question), question

    def _ask(self, client: LlmClient, questions: list[tuple[bytes, str]], answers: dict[bytes, int]) -> None:
        """Ask what is not known, several at a time, and keep every answer, even if a later question fails."""

        def ask(key: bytes, question: str) -> None:
            score = client.ask(INSTRUCTIONS, question, _SCORE)
            self._answers.put([(key, score)])
            answers[key] = score

        executor = ThreadPoolExecutor(self.concurrency)
        try:
            futures = [executor.submit(ask, key, question) for key, question in dict(questions).items()]
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
        except BaseException:
            client.stop()  # end the waits between retries: their answers are not needed any more
            raise
        finally:
            executor.shutdown(cancel_futures=True)


def _shown(document: Document, words: int) -> str:
    text = Text.of(document)
    return f"Title: {text.title or '(none)'}\nAbstract: {' '.join(text.abstract.split()[:words]) or '(none)'}"
