"""Lets ``python -m bridgerag`` do what the command ``bridgerag`` does."""

from bridgerag.cli import main

if __name__ == "__main__":
    main()
