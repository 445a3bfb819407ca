# SPDX-License-Identifier: MIT
"""`python -m hercules.wire` runs a wire."""

import sys

from hercules.wire.program import main

sys.exit(main())
