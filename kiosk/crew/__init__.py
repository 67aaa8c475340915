"""The crew's and the stage's tablets: pages, messages, presses, training."""
