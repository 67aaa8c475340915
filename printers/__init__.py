"""What leaves on paper: slips as text and bytes."""
