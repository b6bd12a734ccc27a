//! A guard before the socket's reader: a frame that declares itself too large is refused unread.
//!
//! `actix_web_actors` checks a frame's size once all of it is in memory, so a client that announces
//! two gigabytes would be given room for them. This walks the headers as bytes pass by.

use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::error::PayloadError;
use bytes::Bytes;
use futures_util::Stream;

/// Passes bytes on until a frame declares more than it may have.
pub struct FrameGuard<S> {
    inner: S,
    most: usize,
    walk: HeaderWalk,
}

impl<S> FrameGuard<S> {
    /// Guards `inner`: frames of up to `most` bytes pass.
    pub fn new(inner: S, most: usize) -> Self {
        Self { inner, most, walk: HeaderWalk::default() }
    }
}

impl<S> Stream for FrameGuard<S>
where
    S: Stream<Item = Result<Bytes, PayloadError>> + Unpin,
{
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.inner).poll_next(context);
        // The line ended without a word, as lines do. An error would be read before the frames that came
        // with it, and the last wish of a tab that closes would be lost.
        if let Poll::Ready(Some(Err(PayloadError::Incomplete(_)))) = &polled {
            return Poll::Ready(None);
        }
        if let Poll::Ready(Some(Ok(bytes))) = &polled {
            let most = self.most;
            if !self.walk.passes(bytes, most) {
                return Poll::Ready(Some(Err(PayloadError::Overflow)));
            }
        }
        polled
    }
}

/// Where in a frame the bytes seen so far end.
#[derive(Default)]
struct HeaderWalk {
    header: [u8; 14],
    have: usize,
    /// Payload bytes of the current frame still to come.
    to_come: usize,
}

impl HeaderWalk {
    fn passes(&mut self, mut bytes: &[u8], most: usize) -> bool {
        while !bytes.is_empty() {
            if self.to_come > 0 {
                let skipped = self.to_come.min(bytes.len());
                self.to_come -= skipped;
                bytes = &bytes[skipped..];
                continue;
            }
            self.header[self.have] = bytes[0];
            self.have += 1;
            bytes = &bytes[1..];
            if self.have < 2 {
                continue;
            }
            let short = self.header[1] & 0x7f;
            let extended = match short {
                126 => 2,
                127 => 8,
                _ => 0,
            };
            let mask = if self.header[1] & 0x80 == 0 { 0 } else { 4 };
            if self.have < 2 + extended + mask {
                continue;
            }
            let length = if extended == 0 {
                u64::from(short)
            } else {
                self.header[2..2 + extended].iter().fold(0, |length, byte| (length << 8) | u64::from(*byte))
            };
            match usize::try_from(length) {
                Ok(length) if length <= most => self.to_come = length,
                _ => return false,
            }
            self.have = 0;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(length: u64) -> Vec<u8> {
        let mut out = vec![0x82];
        match length {
            0..=125 => out.push(0x80 | u8::try_from(length).unwrap()),
            126..=0xffff => {
                out.push(0x80 | 126);
                out.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
            _ => {
                out.push(0x80 | 127);
                out.extend(length.to_be_bytes());
            }
        }
        out.extend([1, 2, 3, 4]);
        out
    }

    #[test]
    fn w4_two_gigabytes_are_refused_by_their_header_however_it_is_cut() {
        for cut in 1..14 {
            let bytes = header(2 << 30);
            let mut walk = HeaderWalk::default();
            let passed = bytes.chunks(cut).all(|chunk| walk.passes(chunk, 1_000));
            assert!(!passed, "cut every {cut}");
        }
    }

    #[test]
    fn w4_frames_up_to_the_limit_pass_however_they_are_cut() {
        let mut bytes = Vec::new();
        for length in [0, 1, 125, 126, 1_000, 65_536, 70_000] {
            bytes.extend(header(length));
            bytes.extend(vec![0xff; usize::try_from(length).unwrap()]);
        }
        for cut in [1, 2, 3, 7, 1_000, bytes.len()] {
            let mut walk = HeaderWalk::default();
            assert!(bytes.chunks(cut).all(|chunk| walk.passes(chunk, 70_000)), "cut every {cut}");
        }
    }
}
