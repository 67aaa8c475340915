"""The floor screens' own process and their message."""
