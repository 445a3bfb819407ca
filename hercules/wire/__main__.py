# SPDX-License-Identifier: MIT
"""`python -m vmkb.hercules.wire` runs a wire."""

import sys

from vmkb.hercules.wire.program import main

sys.exit(main())
