// SPDX-License-Identifier: MIT
//! What is IPv4's: addresses, heads, echo requests (RFC 791, 792).
use smoltcp::iface::Routes;
use smoltcp::phy::{Checksum, ChecksumCapabilities};
use smoltcp::wire::{IpAddress, Ipv4Address};

pub const HEAD: usize = 20; // bytes
pub const NETWORK: u8 = 0; // bits of an address before those of a client's
pub const PING: u8 = 8;
pub const PONG: u8 = 0;

pub fn address(ip: u32) -> IpAddress {
    own(ip).into()
}

fn own(ip: u32) -> Ipv4Address {
    let [a, b, c, d] = ip.to_be_bytes();
    Ipv4Address::new(a, b, c, d)
}

pub fn number(ip: IpAddress) -> u32 {
    let IpAddress::Ipv4(ip) = ip;
    #[cfg(feature = "own_addresses")]
    return u32::from_be_bytes(ip.0);
    #[cfg(not(feature = "own_addresses"))]
    return u32::from_be_bytes(ip.octets());
}

pub fn route(all: &mut Routes, gateway: u32) {
    let _ = all.add_default_ipv4_route(own(gateway));
}

/// Where TCP's head is in FRAME, if it is one of TCP's.
pub fn tcp_at(frame: &[u8]) -> Option<usize> {
    let head = 14 + usize::from(frame[14.min(frame.len() - 1)] & 15) * 4;
    (frame.len() > 23 && frame[23] == 6).then_some(head)
}

/// A datagram in fragments has one sum for all of them, which the link cannot make or look at.
pub fn own_sums(of: &mut ChecksumCapabilities) {
    of.udp = Checksum::Both;
    of.icmpv4 = Checksum::Both;
}
