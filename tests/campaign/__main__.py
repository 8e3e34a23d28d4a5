"""python -m tests.campaign."""

import sys

from tests.campaign.run import main

if __name__ == "__main__":
    sys.exit(main())
