"""`panelist train`: models that learn from papers."""

from panelist.app.cli.options import group
from panelist.app.cli.train import encoders, ranker, reviews

app = group("Train models on papers.", encoders.acl, encoders.biencoder, reviews.reviews, ranker.ranker, ranker.fit)
