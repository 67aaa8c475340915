"""A day of a rule book over a recorded or a made floor."""
