"""Training the ACL model on a tiny corpus: interruption, what is left on disk, and input that cannot be used."""

import json
from dataclasses import replace

import numpy as np
import pytest
import sentencepiece
import torch
from acl_support import SETTINGS, abstracts, trained
from filelock import FileLock
from safetensors.numpy import load_file, save_file

from indexing.encoders.acl import AclEncoder
from indexing.text import Text
from indexing.training.acl import train_acl
from panelist.errors import InputError, ModelError


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A trained model."""
    folder = tmp_path_factory.mktemp("undisturbed") / "acl"
    trained(folder)
    return folder


def vectors(folder):
    return load_file(folder / "model.safetensors")["vectors"]


def interrupt_in(epoch, epochs):
    def report(stage, done, total):
        if stage == "training" and done > (epoch - 1) * total / epochs:
            raise KeyboardInterrupt

    return report


def interrupted(folder, epoch, settings=SETTINGS):
    with pytest.raises(KeyboardInterrupt):
        train_acl(abstracts(), folder, settings, interrupt_in(epoch, settings.epochs))


def test_training_lowers_the_loss_and_leaves_three_files(tmp_path):
    result = trained(tmp_path / "acl", epochs=8)
    assert result.abstracts == len(set(abstracts()))
    assert len(result.losses) == 8
    assert result.losses[-1] < 0.7 * result.losses[0]
    assert sorted(path.name for path in result.folder.iterdir()) == [
        "config.json",
        "model.safetensors",
        "tokenizer.model",
    ]
    assert not (tmp_path / "acl.training").exists()
    config = json.loads((result.folder / "config.json").read_text())
    assert config["training"] | {"losses": None} == {
        **{"vocabulary": 50, "dimension": 16, "margin": 0.4, "batch": 8, "epochs": 8, "rate": 0.05, "seed": 0},
        **{"abstracts": result.abstracts, "losses": None},
    }


@pytest.mark.parametrize("epoch", [1, 3, 4])
def test_interrupted_training_goes_on_and_ends_the_same(tmp_path, undisturbed, epoch):
    interrupted(tmp_path / "acl", epoch)
    assert not (tmp_path / "acl").exists()
    result = trained(tmp_path / "acl")
    assert result.continued == epoch - 1
    assert (vectors(tmp_path / "acl") == vectors(undisturbed)).all()
    assert (tmp_path / "acl/config.json").read_bytes() == (undisturbed / "config.json").read_bytes()


def test_another_seed_or_corpus_does_not_go_on(tmp_path, undisturbed):
    interrupted(tmp_path / "acl", 3, replace(SETTINGS, seed=7))
    result = trained(tmp_path / "acl")
    assert result.continued == 0
    assert (vectors(tmp_path / "acl") == vectors(undisturbed)).all()


def test_more_epochs_go_on_and_fewer_start_over(tmp_path, undisturbed):
    interrupted(tmp_path / "acl", 3, replace(SETTINGS, epochs=9))
    assert trained(tmp_path / "acl").continued == 2
    assert (vectors(tmp_path / "acl") == vectors(undisturbed)).all()
    interrupted(tmp_path / "acl", 3)
    assert trained(tmp_path / "acl", epochs=1).continued == 0


def test_a_damaged_checkpoint_is_not_used(tmp_path, undisturbed, caplog):
    interrupted(tmp_path / "acl", 3)
    kept = tmp_path / "acl.training/epoch.safetensors"
    kept.write_bytes(kept.read_bytes()[:-50])
    assert trained(tmp_path / "acl").continued == 0
    assert "training starts over" in caplog.text
    assert (vectors(tmp_path / "acl") == vectors(undisturbed)).all()


def test_an_interruption_leaves_the_model_before(tmp_path):
    trained(tmp_path / "acl", seed=1)
    before = vectors(tmp_path / "acl")
    interrupted(tmp_path / "acl", 2)
    assert (vectors(tmp_path / "acl") == before).all()
    trained(tmp_path / "acl")
    assert (vectors(tmp_path / "acl") != before).any()


def test_encoding_is_what_torch_makes_of_the_files(undisturbed):
    texts = [Text("A title that is not read", "Honey bees dance."), Text("Stars"), Text("", "Galaxies of BEES")]
    processor = sentencepiece.SentencePieceProcessor(model_file=str(undisturbed / "tokenizer.model"))
    weights = torch.tensor(vectors(undisturbed))
    rows = [processor.encode(text) for text in ("honey bees dance.", "stars", "galaxies of bees")]
    mute = {processor.unk_id(), processor.piece_to_id("▁")}
    expected = [weights[[token for token in row if token not in mute]].mean(dim=0, keepdim=True) for row in rows]
    made = AclEncoder.open(undisturbed).encode(texts)
    np.testing.assert_allclose(made, torch.nn.functional.normalize(torch.cat(expected)), atol=1e-6)


def test_halves_of_a_topic_are_near_each_other(undisturbed):
    texts = [Text("", text) for text in ("bees dance to flowers", "nectar for the hive", "galaxies and stars")]
    bees, hive, stars = AclEncoder.open(undisturbed).encode(texts)
    assert bees @ hive > bees @ stars


def test_texts_without_known_subwords_are_zero(undisturbed):
    encoder = AclEncoder.open(undisturbed)
    assert not encoder.encode([Text("", "蜜蜂 跳舞"), Text("", " ")]).any()
    assert encoder.encode([]).shape == (0, 16)


def test_half_a_surrogate_pair_is_an_unknown_character(undisturbed):
    lone, none = AclEncoder.open(undisturbed).encode([Text("", "Bees \ud800 dance"), Text("", "Bees ? dance")])
    assert (lone == none).all()


def test_encoding_many_is_encoding_each(undisturbed):
    encoder, done = AclEncoder.open(undisturbed), []
    texts = [Text("", text) for text in abstracts(1_500)]
    together = encoder.encode(texts, done.append)
    assert sum(done) == 1_500
    assert (together[[0, 1_100, 1_499]] == encoder.encode([texts[0], texts[1_100], texts[1_499]])).all()


@pytest.mark.parametrize(
    ("texts", "settings", "message"),
    [
        ([], SETTINGS, "0 papers have an abstract"),
        (["", "  ", "one", "one "], SETTINGS, "1 paper has an abstract"),
        (abstracts(), replace(SETTINGS, vocabulary=20_000), r"too few .*20,000 .* at most \d+ "),
        (abstracts(), replace(SETTINGS, vocabulary=12), r"12 subwords .*too small .* at least \d+"),
    ],
)
def test_a_corpus_that_does_not_suffice_is_refused(tmp_path, texts, settings, message):
    with pytest.raises(InputError, match=message):
        train_acl(texts, tmp_path / "acl", settings)


def test_nothing_but_a_model_is_replaced(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"other than .*ACL.*another folder"):
        trained(tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_second_training_of_the_same_model_is_refused(tmp_path):
    (tmp_path / "acl.training").mkdir()
    with FileLock(tmp_path / "acl.training/lock"), pytest.raises(InputError, match="being trained already"):
        trained(tmp_path / "acl")


def _cut(path):
    path.write_bytes(path.read_bytes()[:-10])


DAMAGES = {
    "no tokenizer": lambda folder: (folder / "tokenizer.model").unlink(),
    "empty tokenizer": lambda folder: (folder / "tokenizer.model").write_bytes(b""),
    "cut tokenizer": lambda folder: _cut(folder / "tokenizer.model"),
    "cut weights": lambda folder: _cut(folder / "model.safetensors"),
    "other weights": lambda folder: save_file({"vectors": np.zeros((3, 16), "f4")}, folder / "model.safetensors"),
    "no vectors": lambda folder: save_file({"weight": np.zeros((3, 16), "f4")}, folder / "model.safetensors"),
    "infinite": lambda folder: save_file({"vectors": np.full((50, 16), np.inf, "f4")}, folder / "model.safetensors"),
    "other kind": lambda folder: (folder / "config.json").write_text('{"kind": "bert"}'),
    "no json": lambda folder: (folder / "config.json").write_text("{"),
    "no object": lambda folder: (folder / "config.json").write_text("[]"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_refused_in_one_line(tmp_path, undisturbed, damage):
    for path in undisturbed.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    DAMAGES[damage](tmp_path)
    with pytest.raises(ModelError, match=r"not a whole .*panelist train acl") as raised:
        AclEncoder.open(tmp_path)
    assert "\n" not in str(raised.value)


def test_a_missing_model_names_the_command(tmp_path):
    with pytest.raises(ModelError, match=r"no trained .*'panelist train acl'"):
        AclEncoder.open(tmp_path / "nowhere")
