"""How the taggers are made and measured: cross-validation by paper, and what comes out of it."""
