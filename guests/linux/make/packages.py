# SPDX-License-Identifier: MIT
"""The content of a Debian package."""

from __future__ import annotations

import lzma
import re
import subprocess
import tarfile
from pathlib import Path

from vmkb.hercules.deadline import EmulatorError

KERNEL = "vmlinuz"


def unpack(package: Path, form: str, target: Path, flat: bool) -> None:
    """The files of PACKAGE whose whole paths FORM matches: FLAT by their names alone, without the
    compression of modules."""
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        try:
            with tarfile.open(fileobj=reader.stdout, mode="r|") as tar:
                for member in tar:
                    name = member.name.removeprefix("./")
                    if not re.fullmatch(form, name):
                        continue
                    path = target / (Path(name).name if flat else name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    if member.issym():
                        path.unlink(missing_ok=True)
                        path.symlink_to(member.linkname)
                    elif (held := tar.extractfile(member)) is not None:
                        data = held.read()
                        if flat and path.suffix == ".xz":
                            path, data = path.with_suffix(""), lzma.decompress(data)
                        path.write_bytes(data)
        except (tarfile.TarError, lzma.LZMAError) as error:
            raise EmulatorError(
                f"The package {package.name} cannot be unpacked: {error}."
            ) from None
        reader.stdout.read()
    if reader.returncode != 0:
        raise EmulatorError(f"The package {package.name} cannot be unpacked.")
