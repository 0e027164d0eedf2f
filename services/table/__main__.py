"""Runs the table service: `python -m services.table`."""

from services.runtime.app import main
from services.table.app import build

if __name__ == "__main__":
    main({"table": build})
