"""Readers of publishers' and catalogues' own formats, one file each."""
