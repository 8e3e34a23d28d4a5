"""gramian, or python -m gramian: the command line.

Until the command is loaded nothing is there to be undone, and Ctrl-C may end the process as it is.
"""

import signal
import sys


def main() -> int:
    """Load the command line and run it; return the exit code."""
    caught = signal.getsignal(signal.SIGINT)
    if caught is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from gramian.cli.main import main as run

    signal.signal(signal.SIGINT, caught or signal.SIG_DFL)
    return run()


if __name__ == "__main__":
    sys.exit(main())
