"""From files to problems: scores, bids, constraints, quotas, demands, the committee."""
