"""The synthetic corpus of the demo."""
