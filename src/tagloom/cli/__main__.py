"""``python -m tagloom.cli``: the command without its script."""

import sys

from tagloom.cli import main

sys.exit(main())
