"""A championship as pairing knows it: settings, entrants, officials, rounds, seats (C1, C6, C9)."""
