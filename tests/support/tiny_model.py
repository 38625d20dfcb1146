"""A BERT of random weights, small enough to be made in a test and real enough for any command that takes a model."""

import string

import numpy as np
import orjson
from safetensors.numpy import save_file


def make_tiny_model(folder, dimension=16, seed=0, layers=1):
    """Write config, tokeniser and weights of a BERT of one layer, or more, that reads letters."""
    folder.mkdir(parents=True, exist_ok=True)
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *string.ascii_lowercase, *string.digits]
    tokens += [f"##{token}" for token in tokens[4:]]
    config = {
        "model_type": "bert",
        "hidden_size": dimension,
        "num_hidden_layers": layers,
        "num_attention_heads": 2,
        "intermediate_size": 2 * dimension,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": 256,
        "vocab_size": len(tokens),
    }
    tokenizer = {
        "version": "1.0",
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {token: number for number, token in enumerate(tokens)},
        },
        "added_tokens": [],
    }
    shapes = {
        "embeddings.word_embeddings.weight": (len(tokens), dimension),
        "embeddings.position_embeddings.weight": (256, dimension),
        "embeddings.token_type_embeddings.weight": (2, dimension),
    }
    for layer in (f"encoder.layer.{number}" for number in range(layers)):
        shapes[f"{layer}.intermediate.dense.weight"] = (2 * dimension, dimension)
        shapes[f"{layer}.intermediate.dense.bias"] = (2 * dimension,)
        shapes[f"{layer}.output.dense.weight"] = (dimension, 2 * dimension)
        shapes[f"{layer}.output.dense.bias"] = (dimension,)
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            shapes[f"{layer}.attention.{name}.weight"] = (dimension, dimension)
            shapes[f"{layer}.attention.{name}.bias"] = (dimension,)
    dice = np.random.default_rng(seed)
    weights = {name: dice.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    blocks = [f"encoder.layer.{n}.{name}" for n in range(layers) for name in ("attention.output", "output")]
    for block in ("embeddings", *blocks):
        weights[f"{block}.LayerNorm.weight"] = np.ones(dimension, np.float32)
        weights[f"{block}.LayerNorm.bias"] = np.zeros(dimension, np.float32)
    (folder / "config.json").write_bytes(orjson.dumps(config))
    (folder / "tokenizer.json").write_bytes(orjson.dumps(tokenizer))
    save_file(weights, folder / "model.safetensors")
    return folder
