# SPDX-License-Identifier: MIT
"""Records as the systems print them: the opposite of the grammars."""

from __future__ import annotations

from tests.accounting.grammar.make_records import family_of
from tests.accounting.grammar.printed import cards, cp, others, vmkb, vms
from vmkb.accounting.grammar import connect
from vmkb.accounting.records import Record

_PRINTERS = {
    "accounts": vmkb.accounts,
    "answers": vmkb.answers,
    "cards": cards.digits,
    "connect": connect.render,
    "ftp": vmkb.ftp,
    "hyptop": others.hyptop,
    "image": others.image,
    "indicate_load": cp.indicate_load,
    "indicate_user": cp.indicate_user,
    "netstat": vmkb.netstat,
    "ready": cp.ready,
    "rtm": vmkb.rtm,
    "rxperf": vmkb.rxperf,
    "rxperf_ended": vmkb.rxperf,
    "stamps": cp.stamps,
    "tenex": others.tenex,
    "users": cp.users,
    "vms_accounting": vms.vms_accounting,
    "vms_monitor": vms.vms_monitor,
    "vms_process": vms.vms_show,
    "vms_show": vms.vms_show,
}


def render(record: Record) -> str:
    """The text of RECORD, without a line end."""
    return _PRINTERS[family_of(record.kind)](record)
