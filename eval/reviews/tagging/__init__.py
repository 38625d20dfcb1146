"""Which aspect a sentence is about, what it says of it and what it does: the taggers."""
