"""`python -m manyworlds`: see manyworlds.learn."""

import sys

from .learn.command import main

if __name__ == "__main__":
    sys.exit(main())
