"""exHarmony: a benchmark from any corpus. `benchmark` is its format; `build` makes it, `run` measures with it."""
