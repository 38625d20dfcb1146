"""Who may use a server: users, their roles, and what they prove themselves by."""
