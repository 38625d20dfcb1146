"""A Milvus server: its address, its collections, and what of them an index directory counts."""
