// SPDX-License-Identifier: MIT
//! Datagrams and echo requests on smoltcp.
use crate::ip::{address, number, HEAD, PING, PONG};
use crate::seam::{self, EADDRINUSE, EINVAL, ELIMIT, EOK};
use crate::{room, stack, stack_settled, stirred};
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use smoltcp::iface::SocketHandle;
use smoltcp::socket::{icmp, udp};
use smoltcp::wire::IpEndpoint;

const PACKETS: usize = 256;
const BYTES: usize = 65536 + 2048;
const HEADS: usize = HEAD + PING_HEAD; // or of IP and UDP
const PING_HEAD: usize = 8;
const DYNAMIC: u16 = 0xc000;

/// struct stack_udp of stack_port.h.
#[repr(C)]
pub struct StackUdp {
    has: u8,
    port: u16,
    handle: MaybeUninit<SocketHandle>,
}
const _: () = assert!(core::mem::size_of::<StackUdp>() == 16);

pub struct Datagrams {
    clients: Vec<*mut StackUdp>,
    pings: Option<SocketHandle>,
}

impl Datagrams {
    pub fn new() -> Datagrams {
        Datagrams { clients: Vec::new(), pings: None }
    }
}

impl StackUdp {
    fn handle(&self) -> SocketHandle {
        assert!(self.has != 0);
        // SAFETY: `has` is set together with it.
        unsafe { self.handle.assume_init() }
    }

    fn socket(&self) -> &'static mut udp::Socket<'static> {
        stack().sockets.get_mut(self.handle())
    }
}

fn most() -> usize {
    if cfg!(feature = "fragments") { 65535 - HEADS } else { stack().mtu - HEADS }
}

/// What came goes to the clients. A datagram is two bytes, its length, and what it holds.
pub fn look() {
    let mut at = 0;
    // SAFETY: a client that is told reads later.
    while let Some(&u) = stack().datagrams.clients.get(at) {
        at += 1;
        while let Ok((bytes, from)) = unsafe { (*u).socket() }.recv() {
            let (len, end) = (bytes.len(), from.endpoint);
            unsafe {
                let data = seam::heap_malloc(2 + len);
                if data.is_null() {
                    continue;
                }
                data.cast::<u16>().write_unaligned(len as u16);
                data.add(2).copy_from_nonoverlapping(bytes.as_ptr(), len);
                seam::client_datagram(u, data, len as u16, number(end.addr), end.port);
            }
        }
    }
    pongs();
}

#[no_mangle]
unsafe extern "C" fn stack_datagram_copy(data: *const u8, to: *mut u8) {
    let len = data.cast::<u16>().read_unaligned();
    to.copy_from_nonoverlapping(data.add(2), len.into());
}

#[no_mangle]
unsafe extern "C" fn stack_datagram_free(data: *mut u8) {
    seam::heap_free(data);
}

#[no_mangle]
extern "C" fn stack_udp_new(u: &mut StackUdp) -> bool {
    let (Some(rx), Some(tx)) = (room(BYTES), room(BYTES)) else { return false };
    let heads = || alloc::vec![udp::PacketMetadata::EMPTY; PACKETS];
    let socket = udp::Socket::new(
        udp::PacketBuffer::new(heads(), rx),
        udp::PacketBuffer::new(heads(), tx),
    );
    let handle = stack().sockets.add(socket);
    *u = StackUdp { has: 1, port: 0, handle: MaybeUninit::new(handle) };
    stack().datagrams.clients.push(u);
    true
}

#[no_mangle]
extern "C" fn stack_udp_bind(u: &mut StackUdp, port: u16) -> i32 {
    // SAFETY: those of the list live.
    let taken = |p: u16| stack().datagrams.clients.iter().any(|&o| unsafe { (*o).port } == p);
    let free = || (DYNAMIC..u16::MAX).find(|&p| !taken(p));
    if port != 0 && taken(port) {
        return EADDRINUSE;
    }
    match if port == 0 { free() } else { Some(port) } {
        Some(port) if u.socket().bind(port).is_ok() => {
            u.port = port;
            EOK
        }
        _ => EADDRINUSE,
    }
}

#[no_mangle]
unsafe extern "C" fn stack_udp_send(u: &mut StackUdp, ip: u32, port: u16, p: *const u8,
                                    len: u16) -> i32 {
    if usize::from(len) > most() {
        return EINVAL;
    }
    if u.port == 0 && stack_udp_bind(u, 0) != EOK {
        return ELIMIT;
    }
    let bytes = core::slice::from_raw_parts(p, len.into());
    let to = IpEndpoint::new(address(ip), port);
    if u.socket().send_slice(bytes, to).is_err() {
        stack_settled(); // the ring is full: it goes into a block
        if u.socket().send_slice(bytes, to).is_err() {
            return ELIMIT;
        }
    }
    stirred();
    EOK
}

#[no_mangle]
extern "C" fn stack_udp_remove(u: &mut StackUdp) {
    let me: *mut StackUdp = u;
    stirred();
    stack_settled(); // what it has sent goes
    stack().sockets.remove(u.handle());
    stack().datagrams.clients.retain(|&o| o != me);
    (u.has, u.port) = (0, 0);
}

fn pings() -> Option<&'static mut icmp::Socket<'static>> {
    stack().datagrams.pings.map(|handle| stack().sockets.get_mut(handle))
}

fn pongs() {
    let Some(socket) = pings() else { return };
    while let Ok((bytes, _)) = socket.recv() {
        if let &[PONG, 0, _, _, a, b, c, d, ..] = bytes {
            // SAFETY: a client that is told reads later.
            unsafe { seam::client_pong(u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])) };
        }
    }
}

#[no_mangle]
extern "C" fn stack_ping(ip: u32, id: u16, sequence: u16, len: u16) -> i32 {
    if usize::from(len) > most() {
        return EINVAL;
    }
    if stack().datagrams.pings.is_none() {
        let (Some(rx), Some(tx)) = (room(BYTES), room(BYTES)) else { return ELIMIT };
        let heads = || alloc::vec![icmp::PacketMetadata::EMPTY; PACKETS];
        let mut made = icmp::Socket::new(
            icmp::PacketBuffer::new(heads(), rx),
            icmp::PacketBuffer::new(heads(), tx),
        );
        let _ = made.bind(icmp::Endpoint::Ident(id)); // PING has one
        stack().datagrams.pings = Some(stack().sockets.add(made));
    }
    let Some(socket) = pings() else { return ELIMIT };
    let size = PING_HEAD + usize::from(len);
    let Ok(bytes) = socket.send(size, address(ip)) else { return ELIMIT };
    bytes.fill(0);           // smoltcp or the link makes the checksum
    bytes[0] = PING;
    bytes[4..6].copy_from_slice(&id.to_be_bytes());
    bytes[6..8].copy_from_slice(&sequence.to_be_bytes());
    stirred();
    EOK
}
