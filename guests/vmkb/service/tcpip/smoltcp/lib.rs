// SPDX-License-Identifier: MIT
//! smoltcp's side of stack.h. smoltcp has no callbacks: when a block has come, and when a timer was
//! due, the port looks at each socket that a client has (tcp.rs, udp.rs). What is to go out goes at
//! the end of the turn.
#![no_std]
#![allow(improper_ctypes, improper_ctypes_definitions)] // a handle is seen by Rust alone
extern crate alloc;

mod device;
#[cfg_attr(not(feature = "ipv6"), path = "ip4.rs")]
#[cfg_attr(feature = "ipv6", path = "ip6.rs")]
mod ip;
/// What guests/release/smoltcp.py writes of the user's options.
mod options {
    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/options.rs"));
}
mod look;
mod seam;
mod stream;
mod tcp;
mod udp;

use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use device::Link;
use smoltcp::iface::{Config, Interface, SocketSet};
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, IpCidr};
use stream::Streams;
use udp::Datagrams;

const NEVER: u32 = u32::MAX;
const FULL_MS: u32 = 5; // the link tells when it has room; if not, we look so much later
const AGAIN_MS: u32 = 1; // and what else it could not send is tried again so much later

pub struct Stack {
    pub iface: Interface,
    pub link: Link,
    pub sockets: SocketSet<'static>,
    pub streams: Streams,
    pub datagrams: Datagrams,
    pub mtu: usize,
    output: bool, // something may be to go out
    due: u32,     // when something will be, as last found out
    known: bool,  // and nothing has happened since
    late: bool,   // a timer was due in this turn
    clock: u64,
}

struct Only(UnsafeCell<Option<Stack>>);
// SAFETY: TCPIP has one thread, and no function keeps what stack() gives while a client is told.
unsafe impl Sync for Only {}
static STACK: Only = Only(UnsafeCell::new(None));

pub fn stack() -> &'static mut Stack {
    // SAFETY: see Only.
    unsafe { (*STACK.0.get()).as_mut().expect("smoltcp_begin comes first") }
}

/// Something may be to go out, or a timer be another.
pub fn stirred() {
    let s = stack();
    s.output = true;
    s.known = false;
}

/// Milliseconds that do not begin anew after 49 days, as seam::tcpip_now's do.
pub fn now() -> Instant {
    let s = stack();
    // SAFETY: it only reads the clock.
    let low = unsafe { seam::tcpip_now() };
    s.clock += u64::from(low.wrapping_sub(s.clock as u32));
    Instant::from_millis(s.clock as i64)
}

/// N bytes of the heap, if it has so many.
pub fn room(n: usize) -> Option<Vec<u8>> {
    // SAFETY: the storage is the allocator's own (see Heap), of the size and alignment of bytes.
    unsafe {
        let p = seam::heap_malloc(n);
        (!p.is_null()).then(|| Vec::from_raw_parts(p, n, n))
    }
}

#[no_mangle]
extern "C" fn smoltcp_begin(ip: u32, mask: u32, gateway: u32, mtu: u16, seed: u32) {
    let [a, b, c, d] = ip.to_be_bytes();
    let mut config = Config::new(EthernetAddress([2, 0, a, b, c, d]).into());
    config.random_seed = u64::from(seed);
    let mut link = Link::new(mtu.into());
    let mut iface = Interface::new(config, &mut link, Instant::from_millis(0));
    let bits = ip::NETWORK + mask.count_ones() as u8;
    iface.update_ip_addrs(|all| {
        let _ = all.push(IpCidr::new(ip::address(ip), bits));
    });
    if gateway != 0 {
        ip::route(iface.routes_mut(), gateway);
    }
    let made = Stack {
        iface,
        link,
        sockets: SocketSet::new(Vec::new()),
        streams: Streams::new(),
        datagrams: Datagrams::new(),
        mtu: mtu.into(),
        output: true,
        due: NEVER,
        known: false,
        late: false,
        clock: 0,
    };
    // SAFETY: nobody has called stack() yet.
    unsafe { *STACK.0.get() = Some(made) };
}

/// Whether FRAME begins a connection: then another one must listen in the place of the socket.
fn begins(frame: &[u8]) -> bool {
    ip::tcp_at(frame).is_some_and(|at| frame.get(at + 13).is_some_and(|flags| flags & 2 != 0))
}

#[no_mangle]
unsafe extern "C" fn stack_frame(frame: *mut u8, len: u16, _more: bool) {
    let frame = core::slice::from_raw_parts_mut(frame, len.into());
    if options::CKSM && !seam::packet_summed(frame.as_mut_ptr(), frame.len(), false) {
        return;
    }
    let begins = begins(frame);
    let (s, at) = (stack(), now());
    s.link.comes(frame);
    #[cfg(feature = "whole_polls")]
    s.iface.poll(at, &mut s.link, &mut s.sockets);
    #[cfg(not(feature = "whole_polls"))]
    s.iface.poll_ingress_single(at, &mut s.link, &mut s.sockets);
    s.link.ends();
    if begins {
        look::listen_again();
    }
}

fn look() {
    look::streams(stack().late);
    udp::look();
}

#[no_mangle]
extern "C" fn stack_input_ends() {
    stirred();
    look();
}

#[no_mangle]
extern "C" fn stack_settled() {
    let (s, at) = (stack(), now());
    if !s.output {
        return;
    }
    s.output = false;
    s.known = false;
    s.iface.poll(at, &mut s.link, &mut s.sockets);
    if s.late {
        look();
        stack().late = false;
    }
    stream::bury();
}

#[no_mangle]
extern "C" fn stack_due() -> u32 {
    let (s, at) = (stack(), now());
    if !s.known {
        s.due = match s.iface.poll_at(at, &s.sockets) {
            Some(then) if then > at => then.total_millis() as u32,
            Some(_) => {
                let later = if s.link.was_full() { FULL_MS } else { AGAIN_MS };
                (at.total_millis() as u32).wrapping_add(later)
            }
            None => NEVER,
        };
        s.known = true;
    }
    left(at)
}

fn left(at: Instant) -> u32 {
    let left = stack().due.wrapping_sub(at.total_millis() as u32);
    match stack().due {
        NEVER => NEVER,
        _ if left > NEVER / 2 => 0,
        _ => left,
    }
}

#[no_mangle]
extern "C" fn stack_timers() {
    if left(now()) == 0 {
        stirred();
        stack().late = true;
    }
    look::poll_clients();
}

struct Heap;
// SAFETY: heap_malloc gives storage that is nobody else's, at a multiple of 8.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        seam::heap_malloc(layout.size())
    }
    unsafe fn dealloc(&self, p: *mut u8, _layout: Layout) {
        seam::heap_free(p)
    }
}
#[global_allocator]
static HEAP: Heap = Heap;

#[panic_handler]
fn panicked(info: &PanicInfo) -> ! {
    let (file, line) = info.location().map_or(("", 0), |l| (l.file(), l.line()));
    // SAFETY: it reads the name, and does not come back.
    unsafe { seam::smoltcp_panicked(file.as_ptr(), file.len(), line) }
}
