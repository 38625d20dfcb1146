"""The editor's desk: kept submissions, the people asked to review them, and notes about people."""
