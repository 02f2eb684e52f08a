"""The way in, as `ludus` and as `python -m ludus`: from here on signals are answered, whatever is being imported."""

import os
import sys

try:
    from ludus import stopping
except KeyboardInterrupt:  # Python's own answer to Ctrl-C, for as long as ours is not there
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
