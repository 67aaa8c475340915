"""A Silverstar Saturday with a simulated floor and a simulated crew."""
