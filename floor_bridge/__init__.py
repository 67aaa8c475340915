"""Turns what a feed says into the floor's vocabulary and carries it to the core."""
