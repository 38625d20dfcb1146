"""The JSON API and the pages."""
