# SPDX-License-Identifier: MIT
"""`python -m hercules.wire` runs a wire."""

import sys

from hercules.wire.process import main

sys.exit(main())
