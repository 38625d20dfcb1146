"""A BERT that was fine-tuned for the tasks: a sentence is the mean of its tokens, and one head answers all tasks.

`panelist train reviews --fine-tune` makes it, beside the tagger. It has 90 MB, so the package does not contain one. It
is applied with PyTorch, which no other part of the tagger needs.

It reads windows of tokens over a review, each token once, with the sentences around it. A window begins with the
heading and the end of the sentence before it, as context, and holds as many sentences as fit:
`[CLS] heading [SEP] the sentence before [SEP] sentence [SEP] sentence [SEP] …`. Reading every sentence by itself
together with the one before it would take twice the tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.reading.sentences import Sentence
from panelist.errors import ModelError
from panelist.files import check_directory, write_whole

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BATCH = 8  # windows
LONGEST = 192  # tokens of a window, if it has more than one sentence
LONGEST_SENTENCE = 96  # tokens that are read of a sentence
_HEADING = 16  # tokens that are read of a heading
_BEFORE = 48  # tokens that are read of the sentence before, from its end
CONTEXT = -1


class FineTuned:
    """Log-odds of sentences in their context, by a BERT without pooling layer and a linear head over its units."""

    def __init__(self, bert: Any, head: Any, tokenizer: Tokenizer) -> None:
        self.bert, self.head, self.tokenizer = bert, head, tokenizer

    @classmethod
    def load(cls, folder: Path, outputs: int | None = None) -> FineTuned:
        """Read what `save` has written; with `outputs`, begin with the BERT in a folder and a new head.

        The weights of a new head follow from `torch.manual_seed`.
        """
        import torch
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        weights = {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}
        bert = _bert(folder, weights)
        head = torch.nn.Linear(bert.config.hidden_size, outputs or len(weights["head.bias"]))
        if outputs is None:
            head.load_state_dict({name: weights[f"head.{name}"] for name in ("weight", "bias")})
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return cls(bert, head, tokenizer)

    def __call__(self, reviews: Sequence[Sequence[Sentence]]) -> NDArray[np.float32]:
        """(sentences, outputs) of the sentences of all reviews in order."""
        import torch

        logits = np.zeros((sum(map(len, reviews)), self.head.out_features), np.float32)
        windows = sorted(cut(reviews, self.tokenizer), key=lambda window: len(window.tokens))
        with torch.inference_mode():
            for start in range(0, len(windows), _BATCH):
                vectors, rows = self.read(windows[start : start + _BATCH])
                logits[rows] = self.head(vectors).numpy()
        return logits

    def read(self, windows: Sequence[Window]) -> tuple[Any, NDArray[np.int64]]:
        """Vectors of the sentences of some windows, (sentences, hidden units), and the rows of these sentences."""
        import torch

        shape = len(windows), max(len(window.tokens) for window in windows)
        tokens = torch.zeros(shape, dtype=torch.long)
        mask = torch.zeros(shape, dtype=torch.long)
        owners = np.full(shape, CONTEXT)
        for number, window in enumerate(windows):
            tokens[number, : len(window.tokens)] = torch.tensor(window.tokens)
            mask[number, : len(window.tokens)] = 1
            owners[number, : len(window.tokens)] = window.owners
        rows, numbers = np.unique(owners[owners != CONTEXT], return_inverse=True)
        hidden = self.bert(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
        units = hidden[torch.from_numpy(owners != CONTEXT)]
        sums = torch.zeros(len(rows), units.shape[1]).index_add(0, torch.from_numpy(numbers), units)
        return sums / torch.from_numpy(np.bincount(numbers)).float()[:, None], rows

    def save(self, folder: Path) -> None:
        """Write weights, configuration and tokeniser into a folder: safetensors and JSON."""
        from safetensors.torch import save

        check_directory(folder)
        weights = {f"head.{name}": value for name, value in self.head.state_dict().items()}
        weights |= self.bert.state_dict()
        write_whole(folder / "config.json", self.bert.config.to_json_string().encode())
        write_whole(folder / "tokenizer.json", self.tokenizer.to_str().encode())
        write_whole(folder / "model.safetensors", save({k: v.contiguous() for k, v in weights.items()}))


def _bert(folder: Path, weights: dict[str, Any]) -> Any:
    """A BERT of this shape with these weights; others, such as those of a pooling layer, are left out."""
    import torch
    from transformers import BertConfig, BertModel

    # No dropout of the attention in training: it takes a fifth of the time, and gains nothing.
    config = BertConfig.from_pretrained(str(folder), attention_probs_dropout_prob=0.0, local_files_only=True)
    with torch.random.fork_rng(devices=[]):  # its first weights are replaced: they take no part in what is random
        bert = BertModel(config, add_pooling_layer=False)
    bert.load_state_dict({name: weights[name] for name in bert.state_dict()})
    return bert.eval()


@dataclass(frozen=True, slots=True)
class Window:
    """Some sentences as tokens, and for each token the row of its sentence, or `CONTEXT`."""

    tokens: list[int]
    owners: list[int]

    def extend(self, tokens: list[int], separator: int, owner: int) -> None:
        """Add tokens and what separates them from the next; a sentence without tokens owns its separator."""
        self.tokens.extend([*tokens, separator])
        self.owners.extend([*[owner] * len(tokens), CONTEXT if tokens else owner])


def cut(reviews: Sequence[Sequence[Sentence]], tokenizer: Tokenizer) -> list[Window]:
    """The windows of all reviews; rows count the sentences of all reviews in order. Each row is in one window."""
    opening, separator = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    if opening is None or separator is None:
        raise ModelError("the tokeniser has no [CLS] or no [SEP]: only a BERT can be fine-tuned")

    def encoded(text: str) -> list[int]:
        tokens: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return tokens

    windows = []
    row = 0
    for review in reviews:
        sentences = [encoded(sentence.text)[:LONGEST_SENTENCE] for sentence in review]
        number = 0
        while number < len(review):
            window = Window([opening], [CONTEXT])
            before = sentences[number - 1][-_BEFORE:] if number else []
            for context in filter(None, (encoded(review[number].heading)[:_HEADING], before)):
                window.extend(context, separator, CONTEXT)
            begin = number
            while number < len(review) and (number == begin or len(window.tokens) + len(sentences[number]) < LONGEST):
                window.extend(sentences[number], separator, row + number)
                number += 1
            windows.append(window)
        row += len(review)
    return windows
