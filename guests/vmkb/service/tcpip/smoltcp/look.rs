// SPDX-License-Identifier: MIT
//! What has happened to the streams. smoltcp has no backlog: one socket listens for each listener,
//! and another one as soon as a connection has begun on it.
use crate::ip::number;
use crate::seam;
use crate::stack;
use crate::stream::{CONNECTS, GIVES_UP, GONE, HALF_OPEN, LISTENS, OPEN};
use crate::stream::{close_for_good, each, made, of, removed, StackTcp};
use crate::tcp::take;
use smoltcp::socket::tcp::State;

const BACKLOG: usize = 64; // connections of all listeners that are not yet open

/// Each listener whose socket has got a connection listens with another one.
pub fn listen_again() {
    for t in each() {
        // SAFETY: what stands in the table lives, until it is disowned.
        let t = unsafe { &mut *t };
        if t.what != LISTENS {
            continue;
        }
        if t.has != 0 && t.socket().state() != State::Listen {
            t.socket().set_timeout(Some(HALF_OPEN));
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
                of(handle).set_timeout(Some(GIVES_UP));
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

pub fn streams(late: bool) {
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
    // SAFETY: as in streams.
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
