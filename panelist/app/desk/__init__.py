"""What the desks keep: the editor's submissions and people, the chair's conferences."""
