"""Runs the pairing service: `python -m services.pairing`."""

from services.pairing.app import build
from services.runtime.app import main

if __name__ == "__main__":
    main({"pairing": build})
