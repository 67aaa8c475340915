"""The verbs: each judges first, then changes state and appends to the log in one transaction."""
