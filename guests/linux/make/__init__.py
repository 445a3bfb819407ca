# SPDX-License-Identifier: MIT
"""Makes the guest: packages, the kernel image, the initramfs."""
