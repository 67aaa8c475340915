"""What chance gives and what happened."""
