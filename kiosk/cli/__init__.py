"""The command `floordraw`."""
