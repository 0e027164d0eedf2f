"""An AI player over the public API."""
