"""Runs the scoring service: `python -m services.scoring`."""

from services.runtime.app import main
from services.scoring.app import build

if __name__ == "__main__":
    main({"scoring": build})
