// SPDX-License-Identifier: MIT
//! What is IPv6's: addresses, heads, echo requests (RFC 8200, 4443). Clients have addresses of 32
//! bits: a.b.c.d stands for fd00::a.b.c.d.
use smoltcp::iface::Routes;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{IpAddress, Ipv6Address};

pub const HEAD: usize = 40; // bytes
pub const NETWORK: u8 = 96; // bits of an address before those of a client's
pub const PING: u8 = 128;
pub const PONG: u8 = 129;

pub fn address(ip: u32) -> IpAddress {
    own(ip).into()
}

fn own(ip: u32) -> Ipv6Address {
    Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, (ip >> 16) as u16, ip as u16)
}

pub fn number(ip: IpAddress) -> u32 {
    let IpAddress::Ipv6(ip) = ip;
    #[cfg(feature = "own_addresses")]
    let bytes = ip.0;
    #[cfg(not(feature = "own_addresses"))]
    let bytes = ip.octets();
    u32::from_be_bytes([bytes[12], bytes[13], bytes[14], bytes[15]])
}

pub fn route(all: &mut Routes, gateway: u32) {
    let _ = all.add_default_ipv6_route(own(gateway));
}

/// Where TCP's head is in FRAME, if it is one of TCP's: no option stands before it.
pub fn tcp_at(frame: &[u8]) -> Option<usize> {
    (frame.len() > 20 && frame[20] == 6).then_some(54)
}

/// There are no datagrams in fragments.
pub fn own_sums(_of: &mut ChecksumCapabilities) {}
