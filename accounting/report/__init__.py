# SPDX-License-Identifier: MIT
"""Tables printed in many formats, with the same digits in all of them."""
