"""The arrays of an index: units, ownership, affiliations, exact vectors."""
