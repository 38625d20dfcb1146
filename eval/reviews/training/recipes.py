"""The two taggers that can be made: the shipped one, and one on DISAPERE for those whose use its terms allow."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eval.reviews.tagging.datasets import DATA_SETS, SHIPPED, LabelledReview, load, load_disapere_development
from eval.reviews.tagging.model import TaggerModel
from eval.reviews.tagging.outputs import SHIPPED_TASKS, Task, disapere_tasks, targets
from eval.reviews.tagging.tagger import Tagger
from eval.reviews.training.crossvalidation import TaggerTraining
from eval.reviews.training.heldout import exclusive_figures
from indexing.encoders import Encoder
from panelist.errors import InputError
from panelist.progress import Progress, silent

_TERMS = {
    "CC BY-SA 4.0": "share-alike: F1000RD is CC BY-SA 4.0, so this model is licensed under CC BY-SA 4.0 too",
    "CC BY-NC 4.0": "non-commercial: DISAPERE is CC BY-NC 4.0, so this model is for non-commercial use only; "
    "it also reads the share-alike tagger of the package: do not pass it on",
}


def train_on(
    names: Sequence[str],
    folder: Path,
    encoder: Encoder,
    training: TaggerTraining,
    progress: Progress = silent,
) -> TaggerModel:
    """Train on data sets by name, and measure on DISAPERE's development split, which is never trained on.

    Raises:
        InputError: a data set is unknown or missing, or the choice cannot be learned together.
    """
    chosen = tuple(names) or SHIPPED
    if "disapere" in chosen and len(chosen) > 1:
        raise InputError("disapere has labels of its own: train on it alone, or on the others without it")
    reviews = load(chosen, folder)
    tasks = disapere_tasks(reviews) if "disapere" in chosen else _tasks(reviews)
    data = [DATA_SETS[name] for name in chosen]
    licences = {source.licence for source in data}
    card = {
        "data": [{"name": each.title, "licence": each.licence, "source": each.source} for each in data],
        "terms": [terms for licence, terms in _TERMS.items() if licence in licences],
        "command": f"panelist train reviews {' '.join(names)}".strip(),
    }
    base = TaggerModel.load() if "disapere" in chosen else None
    if base is not None and base.encoder["revision"] != encoder.revision:
        raise InputError(f"the tagger of disapere reads the package's tagger: train it with {base.encoder['name']}")
    model = training.train(reviews, tasks, encoder, card, base, progress)
    unseen = load_disapere_development(folder)
    if unseen:
        untuned = replace(model, tuned=None)
        model.card["disapere_dev"] = {
            kind: measure(model if kind == "tuned" else untuned, unseen, None if kind == "linear" else encoder)
            for kind in model.decisions
        }
    return model


def measure(model: TaggerModel, reviews: Sequence[LabelledReview], encoder: Encoder | None) -> dict[str, Any]:
    """Figures on reviews that the model has not seen, of the exclusive tasks that these have labels for."""
    tagger = Tagger(model, encoder)
    chances = tagger.chances([review.sentences for review in reviews])
    corrections = model.decisions[tagger.kind]["correction"]
    measured = {}
    for task in model.tasks:
        if task.exclusive and all(task.name in review.labels for review in reviews):
            right = targets(reviews, [task]).argmax(axis=1)
            measured[task.name] = exclusive_figures(task, right, chances[task.name], corrections[task.name])
    return measured


def _tasks(reviews: Sequence[LabelledReview]) -> tuple[Task, ...]:
    """Those of the shipped tasks that the data has labels for."""
    return tuple(task for task in SHIPPED_TASKS if any(task.name in review.labels for review in reviews))
