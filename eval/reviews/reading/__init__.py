"""From files to sentences: reviews of any layout as records, their texts cleaned and split."""
