"""Runs the appeals service: `python -m services.appeals`."""

from services.appeals.app import build
from services.runtime.app import main

if __name__ == "__main__":
    main({"appeals": build})
