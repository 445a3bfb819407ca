// SPDX-License-Identifier: MIT
//! The functions of stack.h for streams.
use crate::ip::{address, number, HEAD};
use crate::seam::{EADDRINUSE, EINVAL, ELIMIT, EOK};
use crate::stream::{CONNECTS, LISTENS, NEW, OPEN};
use crate::stream::{close_for_good, each, made, of, StackTcp};
use crate::{stack, stirred};
use alloc::vec::Vec;
use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::{Socket, State};

const DYNAMIC: u16 = 0xc000;

pub fn take(t: *mut StackTcp, mut n: u32) {
    // SAFETY: it is a stream of the table.
    let socket = unsafe { (*t).socket() };
    while n != 0 {
        let one = socket.recv(|bytes| {
            let one = bytes.len().min(n as usize);
            (one, one as u32)
        });
        match one {
            Ok(one) if one != 0 => n -= one,
            _ => break,
        }
    }
    stirred();
}

#[no_mangle]
extern "C" fn stack_tcp_new(t: &mut StackTcp) -> bool {
    let handle = made();
    if let Some(handle) = handle {
        t.port = 0;
        t.owns(NEW, handle);
    }
    handle.is_some()
}

fn bound(port: u16, all: bool) -> bool {
    // SAFETY: what stands in the table lives, until it is disowned.
    let mine = |t: *mut StackTcp| unsafe { (*t).port == port && (all || (*t).what <= LISTENS) };
    let of_closed = |&h: &SocketHandle| of(h).local_endpoint().is_some_and(|e| e.port == port);
    each().any(mine) || all && stack().streams.closed.iter().any(of_closed)
}

#[no_mangle]
extern "C" fn stack_tcp_bind(t: &mut StackTcp, port: u16) -> i32 {
    if port != 0 && bound(port, false) {
        return EADDRINUSE;
    }
    t.port = port;
    while t.port == 0 || port == 0 && bound(t.port, true) {
        let streams = &mut stack().streams;
        streams.port = streams.port.wrapping_add(1) | DYNAMIC;
        if streams.port != u16::MAX && !bound(streams.port, true) {
            t.port = streams.port;
            break;
        }
    }
    t.port.into()
}

#[no_mangle]
extern "C" fn stack_tcp_listen(t: &mut StackTcp) -> i32 {
    if t.socket().listen(t.port).is_err() {
        return EINVAL;
    }
    t.what = LISTENS;
    EOK
}

#[no_mangle]
extern "C" fn stack_tcp_connect(t: &mut StackTcp, ip: u32, port: u16) -> i32 {
    if t.port == 0 && stack_tcp_bind(t, 0) < 0 {
        return ELIMIT;
    }
    let s = stack();
    let socket: &mut Socket = s.sockets.get_mut(t.handle());
    if socket.connect(s.iface.context(), (address(ip), port), t.port).is_err() {
        return EINVAL;
    }
    t.what = CONNECTS;
    stirred();
    EOK
}

#[no_mangle]
extern "C" fn stack_tcp_abort(t: &mut StackTcp) {
    let me: *mut StackTcp = t;
    if t.what == LISTENS {
        let begun = core::mem::take(&mut stack().streams.begun);
        let (mine, others) = begun.into_iter().partition(|&(_, listener)| listener == me);
        stack().streams.begun = others;
        let mine: Vec<_> = mine;
        mine.into_iter().for_each(|(handle, _)| close_for_good(handle, true));
    }
    if let Some(handle) = t.disowned() {
        close_for_good(handle, true);
    }
}

#[no_mangle]
extern "C" fn stack_tcp_close(t: &mut StackTcp) {
    if let Some(handle) = t.disowned() {
        close_for_good(handle, false);
    }
}

#[no_mangle]
extern "C" fn stack_tcp_drop(t: &mut StackTcp) {
    if let Some(handle) = t.disowned() {
        close_for_good(handle, true);
    }
}

#[no_mangle]
extern "C" fn stack_tcp_may_write(t: &StackTcp) -> bool {
    t.what == OPEN && t.shut == 0 && t.socket().may_send()
}

#[no_mangle]
extern "C" fn stack_tcp_room(t: &StackTcp) -> u32 {
    (t.socket().send_capacity() - t.socket().send_queue()) as u32
}

/// What the other side allows has no name outside of smoltcp.
#[no_mangle]
extern "C" fn stack_tcp_mss(_t: &StackTcp) -> u32 {
    (stack().mtu - HEAD - 20) as u32
}

#[no_mangle]
unsafe extern "C" fn stack_tcp_write(t: &mut StackTcp, p: *const u8, n: u16, _copy: bool,
                                     _more: bool) -> bool {
    if !stack_tcp_may_write(t) || u32::from(n) > stack_tcp_room(t) {
        return false;
    }
    let _ = t.socket().send_slice(core::slice::from_raw_parts(p, n.into()));
    t.sent += u32::from(n);
    stirred();
    true
}

#[no_mangle]
extern "C" fn stack_tcp_push(_t: &StackTcp) {
    stirred();
}

#[no_mangle]
extern "C" fn stack_tcp_end(t: &mut StackTcp) -> bool {
    if t.shut == 0 && t.socket().may_send() {
        t.socket().close();
        t.shut = 1;
        stirred();
    }
    t.shut != 0
}

#[no_mangle]
unsafe extern "C" fn stack_tcp_copy(t: &StackTcp, to: *mut u8, n: u32) {
    if t.has != 0 {
        let _ = t.socket().peek_slice(core::slice::from_raw_parts_mut(to, n as usize));
    }
}

#[no_mangle]
extern "C" fn stack_tcp_taken(t: &mut StackTcp, n: u32) {
    t.offered -= n;
    take(t, n);
}

fn names(handle: SocketHandle, ip: &mut u32, port: &mut u16, own: &mut u16) -> u32 {
    if let Some(other) = of(handle).remote_endpoint() {
        (*ip, *port) = (number(other.addr), other.port);
    }
    *own = of(handle).local_endpoint().map_or(0, |e| e.port);
    of(handle).state() as u32
}

/// Remote address and port, own port, and the state by its number, of a client's stream.
#[no_mangle]
extern "C" fn smoltcp_names(t: &StackTcp, ip: &mut u32, port: &mut u16, own: &mut u16) -> u32 {
    names(t.handle(), ip, port, own)
}

/// The same of closed streams by INDEX. -1: no more.
#[no_mangle]
extern "C" fn smoltcp_closed(index: u32, ip: &mut u32, port: &mut u16, own: &mut u16) -> i32 {
    let waits = |&&h: &&SocketHandle| of(h).state() != State::TimeWait;
    let found = stack().streams.closed.iter().filter(waits).nth(index as usize);
    found.map_or(-1, |&handle| names(handle, ip, port, own) as i32)
}

#[no_mangle]
extern "C" fn stack_tcp_time_waits() -> u32 {
    let closed = &stack().streams.closed;
    closed.iter().filter(|&&h| of(h).state() == State::TimeWait).count() as u32
}

/// Bytes of all sockets' rings.
#[no_mangle]
extern "C" fn smoltcp_bytes() -> u32 {
    stack().streams.bytes as u32
}
