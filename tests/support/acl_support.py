"""Abstracts of our own making on a few topics, and an ACL model trained on them in a moment."""

import numpy as np

from indexing.training.acl import AclSettings, train_acl

TOPICS = (
    "neural networks learn deep gradients layers",
    "honey bees dance flowers nectar hive",
    "ants follow trails nest colony pheromone",
    "stars orbit galaxies telescopes light spectra",
)
SETTINGS = AclSettings(vocabulary=50, dimension=16, batch=8, epochs=4, rate=0.05)


def abstracts(count=60):
    """Sentences with the words of one topic each, topics in turn."""
    random = np.random.default_rng(0)
    return [
        " ".join(random.choice([*TOPICS[number % len(TOPICS)].split(), "the", "of", "we"], 14)).capitalize() + "."
        for number in range(count)
    ]


def trained(folder, **changes):
    """Train a model; `changes` are to the settings."""
    from dataclasses import replace

    return train_acl(abstracts(), folder, replace(SETTINGS, **changes))
