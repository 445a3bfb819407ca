# SPDX-License-Identifier: MIT
"""The DASD volume of a VM/KB guest: directory compiler, minidisk file system, builder.

docs/reference/volume.md is about it; cp/include/directory.h and fs/fs_format.h have the offsets.
"""

from vmkb.guests.vmkb.disk.errors import DirectoryError, Problem, VolumeError

__all__ = ["DirectoryError", "Problem", "VolumeError"]
