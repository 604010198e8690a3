import sys

from cellval.cli import main

sys.exit(main())
