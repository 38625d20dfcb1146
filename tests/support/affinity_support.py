"""Papers, submissions and models with an encoder of words, for tests of the affinity models."""

from indexing_support import WordEncoder

from panelist.records import Paper, Submission
from retriever.affinity.models.bm25 import Bm25Model
from retriever.affinity.models.dense import DenseModel
from retriever.affinity.models.hybrid import HybridModel
from retriever.affinity.models.tpms import TpmsModel

PAPERS = {
    "nets": Paper("p1", "Training neural networks", "Deep neural networks are trained with gradients."),
    "bees": Paper("p2", "Dances of honey bees", "Honey bees dance to tell where flowers are."),
    "ants": Paper("p3", "Trails of ants", "Ants follow trails to their nest."),
    "empty": Paper("p4", ""),
}
SUBMISSIONS = [
    Submission("s1", "Neural networks with gradients", "We train deep networks."),
    Submission("s2", "How bees find flowers", "Bees dance."),
]


def load_words(name):
    return WordEncoder(name, 512, "1")


def models():
    return {
        "tpms": TpmsModel(),
        "bm25": Bm25Model(),
        "dense": DenseModel("words", load=load_words),
        "hybrid": HybridModel("words", load=load_words),
    }
