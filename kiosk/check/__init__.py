"""The guest's own check of a published draw: `/check`."""
