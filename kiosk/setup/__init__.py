"""Rule books: loaded, read, rehearsed, locked by two people."""
