"""Downloads of public data, for users with a network. Nothing else in Panelist needs one."""
