"""Build jobs: plan, process each shard, merge; generations, manifest, check."""
