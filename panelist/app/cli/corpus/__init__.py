"""`panelist corpus`, `panelist import` and `panelist fetch`: what a workspace holds, and how it gets there."""
