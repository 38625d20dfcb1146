"""`panelist reviews`: what the reviews say, what they leave out, and whether they are fair."""

from panelist.app.cli.options import group
from panelist.app.cli.reviews import measures, writing

_ABOUT = "Read reviews: aspects, omissions, disagreement, bias, and feedback."
_MEASURES = (measures.check, measures.bias, measures.compare)
app = group(_ABOUT, *_MEASURES, writing.brief, writing.feedback, writing.draft)
