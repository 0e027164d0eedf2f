"""One appeal (C10): what is asked of it, what happened, and where it stands."""
