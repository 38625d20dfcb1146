"""From scores to an assignment: who reviews what, exactly, fairly or at random, and why."""
