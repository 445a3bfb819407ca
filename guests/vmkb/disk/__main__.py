# SPDX-License-Identifier: MIT
"""python -m vmkb.guests.vmkb.disk: build, list, extract, put and check volume images.

Exit codes: 0 good, 2 usage or errors in the sources, 3 the volume is damaged.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from vmkb.guests.vmkb.disk import build as builder
from vmkb.guests.vmkb.disk.compiler import check, parse
from vmkb.guests.vmkb.disk.errors import DirectoryError, VolumeError
from vmkb.guests.vmkb.disk.minidisk import Minidisk, Region
from vmkb.guests.vmkb.disk.records import fixed, from_text, to_text


def _build(args: argparse.Namespace) -> int:
    try:
        label = builder.build(args.source, args.image, builder.now_1900())
    except VolumeError as e:
        print(e, file=sys.stderr)
        return 2
    print(f"{args.image}: volume {label.volser}, {label.blocks} blocks")
    return 0


def _directory(args: argparse.Namespace) -> int:
    directory, source = parse(args.file.name, args.file.read_text("utf-8"))
    check(directory, source)
    if source.problems:
        print(DirectoryError(source.problems), file=sys.stderr)
        return 2
    print(f"{args.file}: {len(directory.users)} users, no errors")
    return 0


def _list(args: argparse.Namespace) -> int:
    with builder.opened(args.image) as (f, label, extents):
        print(f"volume {label.volser}, {label.blocks} blocks")
        for area in label.areas:
            print(f"  {area.name:8} {area.start:8} {area.blocks:8}")
        for e in extents:
            disk = Minidisk(Region(f, e.start, e.blocks))
            files = disk.entries()
            print(
                f"{e.owner:8} {e.vaddr:04X} {disk.label:8} at {e.start:8}, {e.blocks:6} blocks, "
                f"{len(files):4} files, {disk.free:5} of {disk.blocks:5} free"
            )
            if args.files:
                for x in files:
                    print(
                        f"    {x.fn:8} {x.ft:8} {x.mode} {x.recfm} {x.lrecl:5} "
                        f"{x.records:7} records {x.size:8} bytes"
                    )
    return 0


def _extract(args: argparse.Namespace) -> int:
    with builder.opened(args.image) as (f, _, extents):
        disk = builder.minidisk(f, extents, args.owner.upper(), int(args.vaddr, 16))
        stored = disk.read(disk.find(args.fn, args.ft))
    if args.binary:
        sys.stdout.buffer.write(stored.data)
    else:
        sys.stdout.write(to_text(stored))
    return 0


def _put(args: argparse.Namespace) -> int:
    data = args.file.read_bytes()
    stored = fixed(data, args.lrecl) if args.binary else from_text(data.decode("utf-8"))
    with builder.opened(args.image, write=True) as (f, _, extents):
        disk = builder.minidisk(f, extents, args.owner.upper(), int(args.vaddr, 16))
        disk.put([(args.fn, args.ft, 1, stored, builder.now_1900())])
    return 0


def _check(args: argparse.Namespace) -> int:
    bad = 0
    with builder.opened(args.image) as (f, label, extents):
        for e in extents:
            try:
                disk = Minidisk(Region(f, e.start, e.blocks))
                for entry in disk.entries():
                    to_text(disk.read(entry))
            except VolumeError as problem:
                print(f"{e.owner} {e.vaddr:03X}: {problem}", file=sys.stderr)
                bad += 1
    if bad:
        print(f"{bad} of {len(extents)} minidisks are damaged", file=sys.stderr)
        return 3
    print(f"{args.image}: volume {label.volser}, {len(extents)} minidisks, no errors")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vmkb.guests.vmkb.disk", description=__doc__)
    sub = parser.add_subparsers(required=True)

    def add(name: str, run: object, text: str, image: bool = True) -> argparse.ArgumentParser:
        p = sub.add_parser(name, help=text, description=text)
        p.set_defaults(run=run)
        if image:
            p.add_argument("image", type=Path)
        return p

    def disk(p: argparse.ArgumentParser) -> None:
        for name in ("owner", "vaddr", "fn", "ft"):
            p.add_argument(name)
        p.add_argument("--binary", action="store_true", help="bytes as they are")

    p = add("build", _build, "make an image from a folder with a volume.toml")
    p.add_argument("--source", type=Path, default=builder.SOURCE)
    p = add("directory", _directory, "check a directory source", image=False)
    p.add_argument("file", type=Path)
    p = add("list", _list, "areas and minidisks of an image")
    p.add_argument("--files", action="store_true", help="files too")
    disk(add("extract", _extract, "write a file of a minidisk to standard output"))
    p = add("put", _put, "write a local file to a minidisk")
    disk(p)
    p.add_argument("file", type=Path)
    p.add_argument("--lrecl", type=int, default=80)
    add("check", _check, "validate everything on an image")
    return parser


def main(argv: list[str] | None = None) -> int:
    """The command; returns the exit code."""
    args = _parser().parse_args(argv)
    try:
        code: int = args.run(args)
    except VolumeError as e:
        print(f"{getattr(args, 'image', args)}: {e}", file=sys.stderr)
        return 3
    except (OSError, ValueError) as e:
        print(e, file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
