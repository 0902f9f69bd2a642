"""A run: one function of its settings, its epochs, its checkpoint, its record."""
