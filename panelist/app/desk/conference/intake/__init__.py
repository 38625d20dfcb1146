"""Files come in: unpacked with limits, read, checked, and kept as a whole or not at all."""
