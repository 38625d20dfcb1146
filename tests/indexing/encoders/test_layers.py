"""Vectors of layers and of tokens agree with what transformers computes."""

import json

import numpy as np
import pytest
from tiny_model import make_tiny_model

from indexing.encoders.bert import LayerEncoder, TokenEncoder
from indexing.text import Text
from panelist.errors import ModelError

TEXTS = ["graph networks", "a much longer text about graphs and graphs", "x"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A BERT of four layers with random weights, as transformers makes it."""
    from transformers import BertConfig, BertModel
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    path = make_tiny_model(tmp_path_factory.mktemp("model"))
    config = json.loads((path / "config.json").read_text()) | {"num_hidden_layers": 4}
    BertModel(BertConfig(**config)).eval().save_pretrained(path)
    return path


def hidden_states(folder):
    """For every text the states after each layer, (tokens, hidden), by transformers."""
    import torch
    from tokenizers import Tokenizer
    from transformers import BertModel

    model = BertModel.from_pretrained(folder).eval()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    with torch.inference_mode():
        for text in TEXTS:
            ids = torch.tensor([tokenizer.encode(text).ids])
            yield [state[0].numpy() for state in model(ids, output_hidden_states=True).hidden_states[1:]]


def test_layers_are_pooled_as_they_should_be(folder):
    found = LayerEncoder(str(folder)).encode([Text(text) for text in TEXTS])
    for row, layers in zip(found, hidden_states(folder), strict=True):
        means = [layer.mean(axis=0) for layer in layers[1:]]
        maxima = [layers[1].max(axis=0), layers[2].max(axis=0)]
        np.testing.assert_allclose(row, np.concatenate([*means, *maxima]), atol=1e-4)


def test_tokens_are_those_of_the_last_layer_without_the_marks(folder):
    found = TokenEncoder(str(folder)).encode(TEXTS)
    for vectors, layers in zip(found, hidden_states(folder), strict=True):
        wanted = layers[-1][1:-1]
        np.testing.assert_allclose(vectors, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=1e-4)


def test_long_texts_lose_nothing(folder):
    (vectors,) = TokenEncoder(str(folder)).encode(["a b " * 200])
    assert len(vectors) == 400
    assert TokenEncoder(str(folder)).encode([""])[0].shape[0] == 0


def test_half_a_surrogate_pair_is_read_as_a_question_mark(folder):
    lone, mark = TokenEncoder(str(folder)).encode(["a \ud800 b", "a ? b"])
    np.testing.assert_array_equal(lone, mark)


def test_unsupported_model_type_is_refused(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "other"}')
    for load in (LayerEncoder, TokenEncoder):
        with pytest.raises(ModelError):
            load(str(tmp_path))
