"""The outside: command line, web, demo."""
