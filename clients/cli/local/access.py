"""Who writes, reads and talks to whom over NATS: the users of the embedded server follow from this table."""

from __future__ import annotations

from services.runtime.embedded.nats import Access

ACCESS = (
    # The dealer reads which boards are opened and closed, which entrant lists and votings are closed.
    Access("dealer", writes=("dealer",), reads=("pairing", "table", "appeals")),
    Access("pairing", writes=("pairing",), reads=("dealer", "table", "scoring", "appeals")),
    # Replicas of the table service tell each other that they live.
    Access("table", writes=("table",), reads=("pairing", "dealer"), talks=("fupan.live.table.>",)),
    Access("scoring", writes=("scoring",), reads=("pairing", "table", "dealer", "appeals")),
    Access("appeals", writes=("appeals",), reads=("pairing", "dealer", "table", "scoring")),
)
"""One row a service."""
