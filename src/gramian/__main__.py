"""python -m gramian: the command line."""

import sys

from gramian.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
