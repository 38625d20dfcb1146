"""HTTP: the one client of all servers that Panelist asks, and questions to language models."""
