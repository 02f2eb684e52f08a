"""The entry point of `ludus` and `python -m ludus`. It listens for signals before anything else is imported."""

import os
import sys

try:
    from ludus import stopping
except KeyboardInterrupt:  # Ctrl-C while our own handler is not there yet
    os._exit(130)


def main() -> int:
    try:
        stopping.listen()
    except KeyboardInterrupt:
        os._exit(130)
    from ludus.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
