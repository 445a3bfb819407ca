// SPDX-License-Identifier: MIT
//! The link as a device of smoltcp: a frame comes from its block without a copy, and goes into a
//! block without one.
use crate::{options::CKSM, seam};
use alloc::vec::Vec;
use smoltcp::phy::{self, ChecksumCapabilities, Device, DeviceCapabilities, Medium};
use smoltcp::time::Instant;

const FRAME: usize = 14; // bytes before an IP packet

pub struct Link {
    frame: Option<&'static mut [u8]>,
    takes: bool, // frames come: nothing but answers goes
    full: bool,
    mtu: usize,
    spare: Vec<u8>, // where an answer goes for which the link has no room
}

pub struct Coming(&'static mut [u8]);
pub struct Going<'a>(&'a mut [u8]);

impl Link {
    pub fn new(mtu: usize) -> Link {
        Link { frame: None, takes: false, full: false, mtu, spare: alloc::vec![0; mtu + FRAME] }
    }

    pub fn comes(&mut self, frame: &'static mut [u8]) {
        self.frame = Some(frame);
        self.takes = true;
    }

    pub fn ends(&mut self) {
        self.frame = None;
        self.takes = false;
    }

    /// Whether there was no room for a frame since the last call.
    pub fn was_full(&mut self) -> bool {
        core::mem::take(&mut self.full)
    }
}

impl phy::RxToken for Coming {
    #[cfg(feature = "mutable_frames")]
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, f: F) -> R {
        f(self.0)
    }
    #[cfg(not(feature = "mutable_frames"))]
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(self.0)
    }
}

impl phy::TxToken for Going<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        // SAFETY: the link gives so many bytes that are nobody else's.
        unsafe {
            let to = seam::link_frame(len as u16);
            let to = if to.is_null() {
                &mut self.0[..len]
            } else {
                core::slice::from_raw_parts_mut(to, len)
            };
            let done = f(to);
            if CKSM {
                seam::packet_summed(to.as_mut_ptr(), len, true);
            }
            done
        }
    }
}

impl Device for Link {
    type RxToken<'a> = Coming;
    type TxToken<'a> = Going<'a>;

    fn receive(&mut self, _at: Instant) -> Option<(Coming, Going<'_>)> {
        self.frame.take().map(|frame| (Coming(frame), Going(&mut self.spare)))
    }

    fn transmit(&mut self, _at: Instant) -> Option<Going<'_>> {
        // SAFETY: it only looks.
        if self.takes || !unsafe { seam::link_has_room((self.mtu + FRAME + 2) as u32) } {
            self.full |= !self.takes;
            return None;
        }
        Some(Going(&mut self.spare))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut found = DeviceCapabilities::default();
        found.medium = Medium::Ethernet;
        if CKSM {
            found.checksum = ChecksumCapabilities::ignored();
            crate::ip::own_sums(&mut found.checksum);
        }
        found.max_transmission_unit = self.mtu + FRAME;
        found
    }
}
