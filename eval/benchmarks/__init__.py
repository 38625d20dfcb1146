"""The benchmarks: real data, published figures."""
