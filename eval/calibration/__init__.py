"""The Gaussian-process model of review scores."""
