# SPDX-License-Identifier: MIT
"""Little that looks like lwIP or VM/KB, for tests of where one comes from; and a repository of
it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from vmkb.hercules.guest import load_guest

OURS = load_guest("vmkb").folder / "build" / "lwip" / "lwip-2.2.1" / "src"
"""lwIP 2.2.1 as the guest is built with it."""
INIT = """#define LWIP_VERSION_MAJOR      {0}
#define LWIP_VERSION_MINOR      {1}
#define LWIP_VERSION_REVISION   {2}
#define LWIP_VERSION_RC         {3}
"""


def tree(folder: Path, *version: str) -> Path:
    """A folder that says it is lwIP VERSION: 2.2.1, or major, minor, revision and candidate."""
    files = {
        "src/include/lwip/init.h": INIT.format(*(version or ("2", "2", "1", "LWIP_RC_RELEASE"))),
        "src/core/tcp.c": "int tcp;\n",
        "src/core/ipv4/ip4.c": "int ip4;\n",
        "src/core/ipv6/ip6.c": "int ip6;\n",
        "src/netif/ethernet.c": "int ethernet;\n",
        "src/netif/ppp/ppp.c": "int ppp;\n",
        "README": "not C\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def vmkb(folder: Path) -> Path:
    """A folder that says it is VM/KB 0.1.0."""
    files = {
        "guests/vmkb/Makefile": "all:\n",
        "guests/vmkb/cp/core/date.c": 'const char cp_level[] = "VM/KB VERSION 0.1.0";\n',
        "guests/vmkb/tools/ins.py": "",
        "guests/vmkb/volume/help/cms.txt": "help",
        "guests/vmkb/build/cp.c": "made",
        "guests/errors.py": "",
        "tests/guests/errors.py": "",
        "accounting/machines.toml": "",
        "README.md": "",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def copied(folder: Path) -> Path:
    """FOLDER with what TCPIP is built from of lwIP 2.2.1, as it is."""
    for name in ("core", "include", "netif"):
        shutil.copytree(OURS / name, folder / "src" / name)
    return folder


def git(folder: Path, *words: str) -> str:
    """What git says in FOLDER."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.run(
        ["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    ).stdout.strip()


def committed(folder: Path, message: str = "one") -> str:
    """All of FOLDER committed, in a repository made there if it is none; the commit."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)
    return git(folder, "rev-parse", "HEAD")
