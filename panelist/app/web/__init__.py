"""The JSON API and the page."""
