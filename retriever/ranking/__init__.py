"""The learned ranker: puts the best of a plain ranking into the order that real judgements taught it."""
