"""`python -m ludus` is `ludus`."""

import sys

from ludus.cli import main

sys.exit(main())
