// SPDX-License-Identifier: MIT
//! The streams that there are, and their sockets. What a client has closed is the port's until it
//! is over.
use crate::options::{RX_ROOM, TX_ROOM};
use crate::seam::{self, CLIENTS};
use crate::{room, stack, stirred};
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::{Socket, SocketBuffer, State};
use smoltcp::time::Duration;

const LITTLE: usize = 16384; // bytes of a socket's rings once all sockets together have
const BUDGET: usize = 4 << 20; // so many bytes
pub const GIVES_UP: Duration = Duration::from_secs(120); // without an answer; its default is never
pub const HALF_OPEN: Duration = Duration::from_secs(20); // the same before it is open

pub const NEW: u8 = 1; // what a stream is; 0: none
pub const LISTENS: u8 = 2;
pub const CONNECTS: u8 = 3;
pub const OPEN: u8 = 4;
pub const GONE: u8 = 5; // no connection; what came before may still be read

/// struct stack_tcp of stack_port.h. `has`: a socket is behind it.
#[repr(C)]
pub struct StackTcp {
    pub what: u8,
    pub has: u8,
    pub ended: u8,
    pub shut: u8,
    pub port: u16,
    pub sent: u32,    // bytes that were written and not acknowledged
    pub offered: u32, // bytes that the client knows of
    pub rx: u32,      // bytes of the ring for what comes
    handle: MaybeUninit<SocketHandle>,
}
const _: () = assert!(core::mem::size_of::<StackTcp>() == 32);

pub struct Streams {
    pub clients: [*mut StackTcp; CLIENTS],
    there: u128, // a bit for each
    pub begun: Vec<(SocketHandle, *mut StackTcp)>, // with the listener of each
    pub closed: Vec<SocketHandle>,
    pub bytes: usize,
    pub port: u16,
    pub polled: u32,
}

impl Streams {
    pub fn new() -> Streams {
        // SAFETY: both only read the clock.
        let (random, polled) = unsafe { (seam::tcpip_random(), seam::tcpip_now()) };
        let (clients, port) = ([core::ptr::null_mut(); CLIENTS], random as u16);
        Streams { clients, there: 0, begun: Vec::new(), closed: Vec::new(), bytes: 0, port, polled }
    }
}

pub fn of(handle: SocketHandle) -> &'static mut Socket<'static> {
    stack().sockets.get_mut(handle)
}

impl StackTcp {
    pub fn handle(&self) -> SocketHandle {
        assert!(self.has != 0);
        // SAFETY: `has` is set together with it.
        unsafe { self.handle.assume_init() }
    }

    pub fn socket(&self) -> &'static mut Socket<'static> {
        of(self.handle())
    }

    /// It has the socket HANDLE from now on, and is in the table of those that are looked at.
    pub fn owns(&mut self, what: u8, handle: SocketHandle) {
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
    pub fn disowned(&mut self) -> Option<SocketHandle> {
        let handle = (self.has != 0).then(|| self.handle());
        let (streams, n) = (&mut stack().streams, self.number());
        streams.clients[n] = core::ptr::null_mut();
        streams.there &= !(1 << n);
        (self.what, self.has) = (0, 0);
        handle
    }
}

/// Each stream that a client has; one that goes meanwhile is left out.
pub fn each() -> impl Iterator<Item = *mut StackTcp> {
    let mut left = stack().streams.there;
    core::iter::from_fn(move || {
        left &= stack().streams.there;
        let n = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        stack().streams.clients.get(n).copied()
    })
}

pub fn made() -> Option<SocketHandle> {
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

pub fn removed(handle: SocketHandle) {
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

pub fn close_for_good(handle: SocketHandle, abort: bool) {
    if abort {
        of(handle).abort();
    } else {
        of(handle).close();
    }
    stack().streams.closed.push(handle);
    stirred();
}
