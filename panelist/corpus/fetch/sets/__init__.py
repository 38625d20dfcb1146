"""The data sets of the benchmarks, each built from its public source into the folder that the benchmarks read.

docs/reference/data.md has addresses, licences, sizes and the layout of every folder.
"""
