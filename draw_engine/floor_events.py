"""The floor's vocabulary (design "The floor's vocabulary"): what every feed is turned into. Placeholder for the helper."""
