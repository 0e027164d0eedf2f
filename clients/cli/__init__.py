"""The `fupan` command."""
