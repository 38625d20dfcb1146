"""Encoders on a tiny BERT of our own making; the default model where its weights are here."""

import subprocess
import sys
import types
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
from indexing_support import make_papers

from indexing.encoders import DEFAULT_ENCODER, load_encoder
from indexing.encoders.models import locate_model
from indexing.encoders.recipe import read_recipe
from indexing.encoders.sentence import encoder_of
from indexing.text import Text
from panelist.errors import ModelError

WORDS = ["the", "of", "gene", "cell", "protein", "graph", "neural", "network", "model", "theory", "learning", "show"]
WORDS += ["for", "in", "a", "we"]
TEXTS = [
    Text("Graph neural network theory", "We show a model of the cell"),
    Text("Gene"),
    Text("Protein model", "the network " * 60),
    Text("", "Only an abstract of learning"),
    Text("Gene"),
]


@pytest.fixture(scope="session")
def tokenizer():
    from tokenizers import BertWordPieceTokenizer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: number for number, word in enumerate([*special, *WORDS, *"abcdefghijklmnopqrstuvwxyz"])}
    return BertWordPieceTokenizer(vocab=vocabulary)


def save_model(folder: Path, tokenizer, config) -> Path:
    import torch
    from transformers import AutoModel, PreTrainedTokenizerFast

    torch.manual_seed(5)
    model = AutoModel.from_config(config)
    for parameter in model.parameters():  # the usual small initial weights would make all texts alike
        if parameter.dim() == 2:
            torch.nn.init.normal_(parameter, std=0.5)
    model.save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer._tokenizer,
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        unk_token="[UNK]",
        mask_token="[MASK]",
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def bert(tmp_path_factory, tokenizer) -> Path:
    from transformers import BertConfig

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    config = BertConfig(vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=64, **sizes)
    return save_model(tmp_path_factory.mktemp("models") / "bert", tokenizer, config)


@pytest.fixture(scope="session")
def sentence_bert(tmp_path_factory, bert) -> Path:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    folder = tmp_path_factory.mktemp("models") / "sentence-bert"
    modules = [Transformer(str(bert)), Pooling(32, pooling_mode="mean"), Normalize()]
    model = SentenceTransformer(modules=modules, device="cpu")
    model.max_seq_length = 24
    model.save(str(folder))
    return folder


def hidden_states(folder: Path, rendered: str, limit: int) -> np.ndarray:
    """What transformers itself computes for one text: (tokens, hidden)."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(folder)(
        rendered, truncation=True, max_length=limit, return_tensors="pt", return_token_type_ids=False
    )
    with torch.inference_mode():
        return AutoModel.from_pretrained(folder)(**tokens).last_hidden_state[0].numpy()


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def test_a_sentence_transformers_folder_gives_the_vectors_of_sentence_transformers(sentence_bert):
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(str(sentence_bert), device="cpu").encode([text.plain() for text in TEXTS])
    encoder = load_encoder(str(sentence_bert))
    assert type(encoder).__name__ == "BertEncoder"
    assert encoder.dimension == 32
    vectors = encoder.encode(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, reference, atol=1e-5)
    assert (reference[0] @ reference[1]) < 0.99  # or agreement would say nothing


def test_a_plain_folder_is_mean_pooled(bert):
    encoder = load_encoder(str(bert))
    expected = unit(hidden_states(bert, TEXTS[0].plain(), 64).mean(axis=0))
    np.testing.assert_allclose(encoder.encode(TEXTS[:1])[0], expected, atol=1e-5)


@pytest.mark.parametrize("family", ["specter", "specter2", "scincl"])
def test_the_specter_family_reads_the_first_token_of_title_separator_abstract(bert, family):
    encoder = load_encoder(f"{family}:{bert}")
    for text in TEXTS[:2]:
        expected = unit(hidden_states(bert, f"{text.title}[SEP]{text.abstract}", 64)[0])
        np.testing.assert_allclose(encoder.encode([text])[0], expected, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("specter", "specter"),
        ("specter2", "specter2"),
        ("allenai/specter2_base", "specter2"),
        ("allenai/specter", "specter"),
        ("malteos/scincl", "scincl"),
        ("BAAI/bge-small-en-v1.5", None),
        ("someone/inspecter", None),
        (DEFAULT_ENCODER, None),
    ],
)
def test_families_are_recognised_by_name(name, family, offline):
    assert locate_model(name).family == family


@pytest.fixture
def offline(monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))


def test_specter2_without_its_adapter_says_so(bert, caplog):
    load_encoder(f"specter2:{bert}")
    assert "'adapters' package is not installed" in caplog.text


def test_specter2_uses_its_adapter_where_it_can(bert, monkeypatch):
    loaded = []
    fake = types.ModuleType("adapters")
    fake.__spec__ = ModuleSpec("adapters", None)
    fake.init = lambda model: setattr(model, "load_adapter", lambda *names, **options: loaded.append((names, options)))
    base = load_encoder(f"specter2:{bert}")
    monkeypatch.setitem(sys.modules, "adapters", fake)
    adapted = load_encoder(f"specter2:{bert}")
    assert loaded == [(("allenai/specter2",), {"source": "hf", "set_active": True})]
    assert adapted.revision != base.revision
    np.testing.assert_allclose(adapted.encode(TEXTS), base.encode(TEXTS), atol=1e-5)  # the fake adapter does nothing


def test_another_architecture_goes_through_sentence_transformers(tmp_path, tokenizer):
    from transformers import DistilBertConfig

    config = DistilBertConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=64, dim=32, n_layers=1, n_heads=2, hidden_dim=48
    )
    folder = save_model(tmp_path / "distilbert", tokenizer, config)
    encoder = load_encoder(str(folder), threads=1)
    assert type(encoder).__name__ == "SentenceEncoder"
    assert encoder.dimension == 32
    expected = unit(hidden_states(folder, TEXTS[0].plain(), 64).mean(axis=0))
    np.testing.assert_allclose(encoder.encode(TEXTS)[0], expected, atol=1e-5)
    assert encoder.encode([]).shape == (0, 32)


def test_a_vector_depends_on_its_text_alone(sentence_bert):
    encoder = load_encoder(str(sentence_bert), threads=2)
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    np.testing.assert_allclose(encoder.encode(TEXTS[::-1])[::-1], together, atol=1e-6)
    np.testing.assert_allclose(together[1], together[4], atol=1e-6)


def test_many_windows_keep_the_order(sentence_bert, monkeypatch):
    encoder = load_encoder(str(sentence_bert))
    texts = [Text(" ".join(WORDS[number % 16 :][: 1 + number % 7])) for number in range(50)]
    whole = encoder.encode(texts)
    monkeypatch.setattr("indexing.encoders.bert._WINDOW", 8)
    monkeypatch.setattr("indexing.encoders.bert.BATCH_TOKENS", 12)
    done = []
    np.testing.assert_allclose(encoder.encode(texts, done.append), whole, atol=1e-6)
    assert sum(done) == 50


def test_what_is_beyond_the_limit_does_not_matter(sentence_bert):
    encoder = load_encoder(str(sentence_bert))  # 24 tokens, of which 22 are words
    texts = [
        Text("gene " * 22),
        Text("gene " * 22 + "theory " * 100),
        Text("gene " * 21 + "theory"),
        Text("gene " * 21),
    ]
    full, longer, different, shorter = encoder.encode(texts)
    np.testing.assert_allclose(full, longer, atol=1e-6)
    assert np.abs(full - different).max() > 1e-3
    assert np.abs(full - shorter).max() > 1e-3


def test_a_huge_text_is_cut_before_it_is_tokenised(sentence_bert):
    recipe = read_recipe(sentence_bert, cls_family=False)
    assert len(recipe.render(Text("t", "x" * 1_000_000), "[SEP]")) == 24 * 64


def test_odd_texts_have_finite_vectors(sentence_bert):
    odd = [Text("\0"), Text("🦠" * 50), Text("\ud800 half a pair"), Text(" "), Text("x" * 500), Text("[SEP] [CLS] <s>")]
    vectors = load_encoder(str(sentence_bert)).encode(odd)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_nothing_to_encode(sentence_bert):
    assert load_encoder(str(sentence_bert)).encode([]).shape == (0, 32)


def test_an_interrupt_leaves_the_encoder_usable(sentence_bert):
    encoder = load_encoder(str(sentence_bert))

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encoder.encode(TEXTS, interrupt)
    assert encoder.encode(TEXTS).shape == (5, 32)


def test_the_revision_tells_weights_and_ways_apart(bert, sentence_bert, tmp_path):
    import shutil

    assert load_encoder(str(bert)).revision == load_encoder(str(bert)).revision
    revisions = {load_encoder(name).revision for name in (str(bert), str(sentence_bert), f"scincl:{bert}")}
    other = Path(shutil.copytree(bert, tmp_path / "other"))
    weights = bytearray((other / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (other / "model.safetensors").write_bytes(weights)
    assert len(revisions | {load_encoder(str(other)).revision}) == 4


def test_pickled_weights_are_refused(bert, tmp_path):
    import shutil

    folder = Path(shutil.copytree(bert, tmp_path / "pickled"))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"safetensors.* pickled"):
        load_encoder(str(folder))


def test_a_damaged_file_is_named(bert, tmp_path):
    import shutil

    folder = Path(shutil.copytree(bert, tmp_path / "damaged"))
    (folder / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"config\.json"):
        load_encoder(str(folder))
    shutil.copy(bert / "config.json", folder)
    (folder / "model.safetensors").write_bytes(b"short")
    with pytest.raises(ModelError, match=r"damaged"):
        load_encoder(str(folder))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no-such-model", "'sentence-transformers/no-such-model' is not on this machine"),
        ("owner/no-such-model", "give the path of a folder"),
        ("not a name", "neither a folder nor a name"),
        ("/no/such/folder", "no model in '/no/such/folder'"),
        ("specter2:/no/such/folder", "no model in '/no/such/folder'"),
        (DEFAULT_ENCODER, "run 'panelist model fetch'"),
    ],
)
def test_a_model_that_cannot_be_had_is_one_clear_line(name, message, offline):
    with pytest.raises(ModelError) as caught:
        load_encoder(name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bert_needs_no_torch(sentence_bert):
    script = (
        "import sys\n"
        "from indexing.encoders import load_encoder\n"
        "from indexing.text import Text\n"
        f"load_encoder({str(sentence_bert)!r}).encode([Text('gene')])\n"
        "sys.exit('torch' in sys.modules or 'transformers' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.model
def test_the_default_model_agrees_with_sentence_transformers():
    try:
        encoder = load_encoder(precision="float32")
    except ModelError as error:
        pytest.skip(str(error))
    from sentence_transformers import SentenceTransformer

    folder = locate_model(DEFAULT_ENCODER).path
    reference = SentenceTransformer(str(folder), device="cpu").encode([text.plain() for text in TEXTS])
    cosines = (encoder.encode(TEXTS) * reference).sum(axis=1)
    assert encoder.dimension == 384
    assert cosines.min() > 0.9999
    # The published vector of this very model, so that both cannot be wrong together.
    np.testing.assert_allclose(
        encoder.encode([Text("hello world")])[0, :4], [-0.0345, 0.0310, 0.0067, 0.0261], atol=1e-4
    )


def test_a_model_in_memory_is_an_encoder(sentence_bert, tmp_path, monkeypatch):
    from sentence_transformers import SentenceTransformer

    from panelist.app.library import build_index, import_papers
    from panelist.workspace import Workspace
    from retriever.finder import Finder

    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    model = SentenceTransformer(str(sentence_bert), device="cpu")
    encoder = encoder_of(model, "mine")
    np.testing.assert_allclose(encoder.encode(TEXTS), load_encoder(str(sentence_bert)).encode(TEXTS), atol=1e-5)
    assert encoder.revision == encoder_of(SentenceTransformer(str(sentence_bert), device="cpu")).revision
    workspace = Workspace(tmp_path / "workspace")
    import_papers(workspace, make_papers(8))
    assert build_index(workspace, encoder=encoder, engine="bm25s").encoder.name == "mine"
    with Finder.open(workspace, load=lambda name: encoder) as finder:
        assert finder.index.encoder().encode(TEXTS).shape == (len(TEXTS), encoder.dimension)
    next(iter(model.parameters())).data += 1
    assert encoder_of(model).revision != encoder.revision
