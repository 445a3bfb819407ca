// SPDX-License-Identifier: MIT
//! Streams on smoltcp. It has no backlog: one socket listens for each listener, and another one as
//! soon as a connection has begun on it. What a client has closed is the port's until it is over.
use crate::seam::{self, CLIENTS, EADDRINUSE, EINVAL, ELIMIT, EOK};
use crate::options::{RX_ROOM, TX_ROOM};
use crate::{address, number, room, stack, stirred};
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::{Socket, SocketBuffer, State};
use smoltcp::time::Duration;

const LITTLE: usize = 16384; // bytes of a socket's rings once all sockets together have
const BUDGET: usize = 4 << 20; // so many bytes
const BACKLOG: usize = 64; // connections of all listeners that are not yet open
const GIVES_UP: Duration = Duration::from_secs(120); // without an answer; its default is never
const DYNAMIC: u16 = 0xc000;

const NEW: u8 = 1; // what a stream is; 0: none
const LISTENS: u8 = 2;
const CONNECTS: u8 = 3;
const OPEN: u8 = 4;
const GONE: u8 = 5; // no connection; what came before may still be read

/// struct stack_tcp of stack_port.h. `has`: a socket is behind it.
#[repr(C)]
pub struct StackTcp {
    what: u8,
    has: u8,
    ended: u8,
    shut: u8,
    port: u16,
    sent: u32,    // bytes that were written and not acknowledged
    offered: u32, // bytes that the client knows of
    rx: u32,      // bytes of the ring for what comes
    handle: MaybeUninit<SocketHandle>,
}
const _: () = assert!(core::mem::size_of::<StackTcp>() == 32);

pub struct Streams {
    clients: [*mut StackTcp; CLIENTS],
    there: u128, // a bit for each
    begun: Vec<(SocketHandle, *mut StackTcp)>, // with the listener of each
    closed: Vec<SocketHandle>,
    bytes: usize,
    port: u16,
    polled: u32,
}

impl Streams {
    pub fn new() -> Streams {
        // SAFETY: both only read the clock.
        let (random, polled) = unsafe { (seam::tcpip_random(), seam::tcpip_now()) };
        let (clients, port) = ([core::ptr::null_mut(); CLIENTS], random as u16);
        Streams { clients, there: 0, begun: Vec::new(), closed: Vec::new(), bytes: 0, port, polled }
    }
}

fn of(handle: SocketHandle) -> &'static mut Socket<'static> {
    stack().sockets.get_mut(handle)
}

impl StackTcp {
    fn handle(&self) -> SocketHandle {
        assert!(self.has != 0);
        // SAFETY: `has` is set together with it.
        unsafe { self.handle.assume_init() }
    }

    fn socket(&self) -> &'static mut Socket<'static> {
        of(self.handle())
    }

    /// It has the socket HANDLE from now on, and is in the table of those that are looked at.
    fn owns(&mut self, what: u8, handle: SocketHandle) {
        let (rx, port) = (of(handle).recv_capacity() as u32, self.port);
        let handle = MaybeUninit::new(handle);
        *self = Self { what, has: 1, ended: 0, shut: 0, port, sent: 0, offered: 0, rx, handle };
        let (streams, n) = (&mut stack().streams, self.number());
        streams.clients[n] = self;
        streams.there |= 1 << n;
    }

    fn number(&self) -> usize {
        // SAFETY: it computes.
        unsafe { seam::client_number(self) as usize }
    }

    /// It names no socket any more.
    fn disowned(&mut self) -> Option<SocketHandle> {
        let handle = (self.has != 0).then(|| self.handle());
        let (streams, n) = (&mut stack().streams, self.number());
        streams.clients[n] = core::ptr::null_mut();
        streams.there &= !(1 << n);
        (self.what, self.has) = (0, 0);
        handle
    }
}

/// Each stream that a client has; one that goes meanwhile is left out.
fn each() -> impl Iterator<Item = *mut StackTcp> {
    let mut left = stack().streams.there;
    core::iter::from_fn(move || {
        left &= stack().streams.there;
        let n = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        stack().streams.clients.get(n).copied()
    })
}

fn made() -> Option<SocketHandle> {
    let mut sizes = (RX_ROOM, TX_ROOM);
    if stack().streams.bytes + RX_ROOM + TX_ROOM > BUDGET && !end_a_wait(LITTLE + 1) {
        sizes = (LITTLE.min(RX_ROOM), LITTLE.min(TX_ROOM));
    }
    let (rx, tx) = loop {
        match (room(sizes.0), room(sizes.1)) {
            (Some(rx), Some(tx)) => break (rx, tx),
            _ if end_a_wait(0) => (),
            _ => return None,
        }
    };
    let mut socket = Socket::new(SocketBuffer::new(rx), SocketBuffer::new(tx));
    socket.set_nagle_enabled(false);
    socket.set_timeout(Some(GIVES_UP));
    let s = stack();
    s.streams.bytes += sizes.0 + sizes.1;
    Some(s.sockets.add(socket))
}

fn removed(handle: SocketHandle) {
    stack().streams.bytes -= of(handle).recv_capacity() + of(handle).send_capacity();
    stack().sockets.remove(handle);
    stirred();
}

/// The oldest connection in TIME-WAIT with a ring of at least SIZE makes room. Whether there was
/// one.
fn end_a_wait(size: usize) -> bool {
    let closed = &mut stack().streams.closed;
    let old = |&h: &SocketHandle| of(h).state() == State::TimeWait && of(h).send_capacity() >= size;
    let found = closed.iter().position(old);
    if let Some(at) = found {
        removed(closed.remove(at));
    }
    found.is_some()
}

/// Sockets that their clients have closed go when their connections are over, with RST if so.
pub fn bury() {
    stack().streams.closed.retain(|&handle| {
        let over = of(handle).state() == State::Closed && of(handle).remote_endpoint().is_none();
        if over {
            removed(handle);
        }
        !over
    });
}

fn close_for_good(handle: SocketHandle, abort: bool) {
    if abort {
        of(handle).abort();
    } else {
        of(handle).close();
    }
    stack().streams.closed.push(handle);
    stirred();
}

/// Each listener whose socket has got a connection listens with another one.
pub fn listen_again() {
    for t in each() {
        // SAFETY: what stands in the table lives, until it is disowned.
        let t = unsafe { &mut *t };
        if t.what != LISTENS {
            continue;
        }
        if t.has != 0 && t.socket().state() != State::Listen {
            stack().streams.begun.push((t.handle(), t));
            t.has = 0;
        }
        if t.has == 0 && stack().streams.begun.len() < BACKLOG {
            if let Some(handle) = made() {
                t.owns(LISTENS, handle);
                let _ = of(handle).listen(t.port);
            }
        }
    }
}

/// Those that have begun are their listeners' clients' as soon as they are open.
unsafe fn accept() {
    let mut at = 0;
    while let Some(&(handle, listener)) = stack().streams.begun.get(at) {
        let (state, other) = (of(handle).state(), of(handle).remote_endpoint());
        if state == State::SynReceived {
            at += 1;
            continue;
        }
        stack().streams.begun.remove(at);
        let other = other.filter(|_| state != State::Listen && state != State::Closed);
        let Some(other) = other else {
            removed(handle); // reset before it was open
            continue;
        };
        match seam::client_accepted(listener, number(other.addr), other.port).as_mut() {
            Some(t) => {
                t.port = 0;
                t.owns(OPEN, handle);
            }
            None => close_for_good(handle, true),
        }
    }
}

/// What has happened to the stream T since it was last looked at. LATE: a timer was due.
unsafe fn look_at(t: *mut StackTcp, late: bool) {
    let handle = (*t).handle();
    let state = of(handle).state();
    let same = |t: *mut StackTcp| (*t).has != 0 && (*t).handle() == handle;

    if (*t).what == CONNECTS && state != State::SynSent && state != State::Closed {
        (*t).what = OPEN;
        if !seam::client_connected(t) {
            return;
        }
    }
    let left = of(handle).send_queue() as u32;
    let n = (*t).sent - left;
    if n != 0 && state != State::Closed {
        (*t).sent = left;
        seam::client_acknowledged(t, n);
    }
    if same(t) && of(handle).recv_queue() as u32 > (*t).offered {
        let n = of(handle).recv_queue() as u32;
        match seam::client_offered(t) {
            seam::OFFER_TAKE => (*t).offered = n,
            seam::OFFER_DROP => take(t, n - (*t).offered),
            _ => return, // later, and before its end
        }
    }
    let fin = matches!(state, State::CloseWait | State::LastAck | State::Closing | State::TimeWait);
    if same(t) && fin && (*t).ended == 0 {
        (*t).ended = 1;
        seam::client_ended(t);
    }
    if same(t) && state == State::Closed && (*t).what != GONE
        && ((*t).ended == 0 || !seam::client_idle(t)) {
        (*t).what = GONE;
        seam::client_gone(t, late);
    }
}

pub fn look(late: bool) {
    // SAFETY: clients that are told may close streams: then these leave the table.
    unsafe {
        accept();
        for t in each() {
            if (*t).has != 0 && (*t).what >= CONNECTS {
                look_at(t, late);
            }
        }
    }
}

pub fn poll_clients() {
    // SAFETY: as in look.
    unsafe {
        let at = seam::tcpip_now();
        if at.wrapping_sub(stack().streams.polled) < seam::CLIENT_POLL_S * 1000 {
            return;
        }
        stack().streams.polled = at;
        listen_again();
        for t in each() {
            if (*t).what == OPEN && seam::client_polled(t) && (*t).has != 0 {
                look_at(t, false);
            }
        }
    }
}

fn take(t: *mut StackTcp, mut n: u32) {
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
    // SAFETY: as in listen_again.
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
    stack().mtu as u32 - 40
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
