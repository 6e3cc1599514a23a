"""Studies: what one choice does, everything else held still; see `benchmarks.study`."""
