"""`python -m clients.cli`: the `fupan` command where its script is not installed."""

from clients.cli.main import main

main()
