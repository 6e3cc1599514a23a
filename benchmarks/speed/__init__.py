"""How fast each part is: one module a word of `python -m benchmarks`."""
