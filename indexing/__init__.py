"""Papers to an index directory: build jobs, tables, engines, encoders and their training."""
