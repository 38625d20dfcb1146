"""From records to problems: scores, people, conflicts, quotas, demands, locks."""
