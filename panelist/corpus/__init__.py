"""The corpus: papers and their authors, in a store, filled by readers."""
