"""Who reviewed and edited which papers before: evidence, with the day of submission as the horizon, and brakes."""
