"""What a chair asks of an assignment: why, who else, what a slot is worth, what changed."""
