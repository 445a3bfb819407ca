// SPDX-License-Identifier: MIT
//! What TCPIP has for a port: see stack.h, heap.h and port.c.
use crate::stream::StackTcp;
use crate::udp::StackUdp;

pub const EOK: i32 = 0;
pub const EINVAL: i32 = -2;
pub const EADDRINUSE: i32 = -3;
pub const ELIMIT: i32 = -9;
pub const CLIENTS: usize = 128;
pub const CLIENT_POLL_S: u32 = 2;
pub const OFFER_TAKE: u32 = 0;
pub const OFFER_DROP: u32 = 1;

extern "C" {
    pub fn tcpip_now() -> u32;
    pub fn tcpip_random() -> u32;
    pub fn heap_malloc(size: usize) -> *mut u8;
    pub fn heap_free(p: *mut u8);
    pub fn link_frame(len: u16) -> *mut u8;
    pub fn link_has_room(bytes: u32) -> bool;
    pub fn packet_summed(frame: *mut u8, len: usize, make: bool) -> bool;
    pub fn client_accepted(listener: *mut StackTcp, ip: u32, port: u16) -> *mut StackTcp;
    pub fn client_connected(t: *mut StackTcp) -> bool;
    pub fn client_acknowledged(t: *mut StackTcp, n: u32);
    pub fn client_offered(t: *mut StackTcp) -> u32;
    pub fn client_ended(t: *mut StackTcp);
    pub fn client_gone(t: *mut StackTcp, timed_out: bool);
    pub fn client_polled(t: *mut StackTcp) -> bool;
    pub fn client_number(t: *const StackTcp) -> u32;
    pub fn client_idle(t: *const StackTcp) -> bool;
    pub fn client_datagram(u: *mut StackUdp, data: *mut u8, len: u16, ip: u32, port: u16);
    pub fn client_pong(id: u16, sequence: u16) -> bool;
    pub fn smoltcp_panicked(file: *const u8, len: usize, line: u32) -> !;
}
