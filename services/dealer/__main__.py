"""Runs the dealer service: `python -m services.dealer`."""

from services.dealer.app import build
from services.runtime.app import main

if __name__ == "__main__":
    main({"dealer": build})
