"""What commands and the server both write: panels as files, as tables and as JSON."""
