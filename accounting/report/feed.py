# SPDX-License-Identifier: MIT
"""A feed in Atom, which readers of news ask for again and again. Its links are relative: whoever
publishes it knows where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from uuid import NAMESPACE_OID, uuid5
from xml.etree import ElementTree

from vmkb.accounting.shown import plain

_ATOM = "http://www.w3.org/2005/Atom"
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NEVER = "1970-01-01"


class Entry(NamedTuple):
    """An entry: what makes it one of its kind, a title, a date, its page, a text."""

    key: str
    title: str
    date: str
    page: str
    text: str


def feed(title: str, key: str, home: str, here: str, entries: Sequence[Entry]) -> str:
    """The feed of ENTRIES, newest first, which is called HERE beside the page HOME. KEY makes its
    identity."""
    root = ElementTree.Element("feed", xmlns=_ATOM)
    dates = [_time(entry.date) for entry in entries]
    _fill(root, key, title, max(dates, default=_time(_NEVER)), home)
    ElementTree.SubElement(root, "link", rel="self", href=here)
    ElementTree.SubElement(ElementTree.SubElement(root, "author"), "name").text = "vmkb trail"
    for entry, date in zip(entries, dates, strict=True):
        made = ElementTree.SubElement(root, "entry")
        _fill(made, f"{key} {entry.key}", entry.title, date, entry.page)
        ElementTree.SubElement(made, "content").text = plain(entry.text)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _fill(element: ElementTree.Element, key: str, title: str, date: str, page: str) -> None:
    words = {"id": uuid5(NAMESPACE_OID, key).urn, "title": plain(title), "updated": date}
    for name, text in words.items():
        ElementTree.SubElement(element, name).text = text
    ElementTree.SubElement(element, "link", href=page)


def _time(date: str) -> str:
    return f"{date if _DATE.fullmatch(date) else _NEVER}T00:00:00Z"
