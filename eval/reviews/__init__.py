"""What review texts say: reading, tagging, checks for chairs, measures, and questions back to the reviewer."""
