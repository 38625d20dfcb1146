"""What a manuscript's pages say: title, authors, abstract and references, guessed from its lines."""
