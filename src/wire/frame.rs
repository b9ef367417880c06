use super::varint::{MAX_VARINT_BYTES, Varint, read_varint, write_varint};
use super::{CloseCode, Lane, Refusal};

/// The bytes that go before a payload: varint length of what follows, lane tag, varint sequence.
#[derive(Clone, Copy, Debug)]
pub struct FrameHeader {
    bytes: [u8; 2 * MAX_VARINT_BYTES + 1],
    size: usize,
}

impl FrameHeader {
    /// The header as it goes on the wire.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or(&self.bytes)
    }
}

/// The header of a frame. `sequence` starts at 1 in every session and grows with each frame of the
/// lane; a sender that throws queued frames away leaves a gap.
pub fn frame_header(lane: Lane, sequence: u64, payload_bytes: usize) -> FrameHeader {
    let mut number = [0; MAX_VARINT_BYTES];
    let number_size = write_varint(&mut number, sequence);
    let rest = 1 + number_size + payload_bytes;
    let mut length = [0; MAX_VARINT_BYTES];
    let length_size = write_varint(&mut length, rest as u64);
    let mut header = FrameHeader { bytes: [0; 2 * MAX_VARINT_BYTES + 1], size: 0 };
    let parts = length.iter().take(length_size).copied();
    let parts = parts.chain([lane.tag()]).chain(number.iter().take(number_size).copied());
    for (slot, byte) in header.bytes.iter_mut().zip(parts) {
        *slot = byte;
        header.size += 1;
    }
    header
}

/// One frame that had to be skipped; the stream itself is still in step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The frame is too short to hold lane and sequence, or its sequence is not a number.
    #[error("frame header is incomplete")]
    Header,
    /// The frame belongs to another lane than its stream.
    #[error("frame of lane tag {0} on another lane's stream")]
    Lane(u8),
    /// The sequence number is not above the one before.
    #[error("frame {found} after frame {last}")]
    Sequence {
        /// The number in the frame.
        found: u64,
        /// The highest number so far.
        last: u64,
    },
    /// The layer above could not read the payload.
    #[error("payload: {0}")]
    Payload(&'static str),
}

/// The stream cannot be read on; the connection has to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The length is not a number.
    #[error("frame length is not a number")]
    Length,
    /// The length is above the limit that the hello gave.
    #[error("frame of {found_bytes} bytes, at most {limit_bytes} are allowed")]
    Oversized {
        /// The announced payload length, in bytes.
        found_bytes: u64,
        /// The limit, in bytes.
        limit_bytes: usize,
    },
}

impl From<DecodeError> for Refusal {
    fn from(error: DecodeError) -> Self {
        let code = match error {
            DecodeError::Length => CloseCode::Protocol,
            DecodeError::Oversized { .. } => CloseCode::Oversized,
        };
        Refusal::new(code, error.to_string())
    }
}

/// Cuts the byte stream of one lane into frames. Whole frames are handed out in place; only a frame
/// that is split between two chunks is copied, and its memory grows as its bytes arrive.
#[derive(Debug)]
pub struct FrameDecoder {
    lane: Lane,
    limit_bytes: usize,
    partial: Vec<u8>,
    last_sequence: u64,
}

/// Room for lane tag and sequence in front of the largest payload.
const HEADER_SLACK_BYTES: u64 = 1 + MAX_VARINT_BYTES as u64;

/// A partial frame's buffer above this size is given back once the frame is complete.
const KEEP_BYTES: usize = 64 * 1024;

impl FrameDecoder {
    /// A decoder for a fresh stream; payloads above `limit_bytes` end it.
    pub fn new(lane: Lane, limit_bytes: usize) -> Self {
        Self { lane, limit_bytes, partial: Vec::new(), last_sequence: 0 }
    }

    /// Reads `chunk`, calling `each` with every frame that is complete, in order.
    pub fn feed(
        &mut self,
        mut chunk: &[u8],
        mut each: impl FnMut(Result<&[u8], Malformed>),
    ) -> Result<(), DecodeError> {
        while !chunk.is_empty() {
            if self.partial.is_empty() {
                match self.measure(chunk)? {
                    Some(body) if body.end <= chunk.len() => {
                        let (frame, rest) = chunk.split_at(body.end);
                        each(self.open(frame.get(body.start..).unwrap_or_default()));
                        chunk = rest;
                    }
                    _ => {
                        self.partial.extend_from_slice(chunk);
                        return Ok(());
                    }
                }
            } else {
                chunk = self.complete(chunk, &mut each)?;
            }
        }
        Ok(())
    }

    /// Adds to the partial frame only what it lacks; returns what is left of `chunk`.
    fn complete<'a>(
        &mut self,
        chunk: &'a [u8],
        each: &mut impl FnMut(Result<&[u8], Malformed>),
    ) -> Result<&'a [u8], DecodeError> {
        let whole = match self.measure(&self.partial)? {
            Some(body) => body.end,
            None => self.partial.len() + 1,
        };
        let lacking = whole.saturating_sub(self.partial.len()).min(chunk.len());
        let (now, rest) = chunk.split_at(lacking);
        self.partial.extend_from_slice(now);
        if let Some(body) = self.measure(&self.partial)?
            && body.end <= self.partial.len()
        {
            let mut frame = std::mem::take(&mut self.partial);
            each(self.open(frame.get(body).unwrap_or_default()));
            if frame.capacity() <= KEEP_BYTES {
                frame.clear();
                self.partial = frame;
            }
        }
        Ok(rest)
    }

    /// Where the body of the frame at the start of `input` lies, once its length is known.
    fn measure(&self, input: &[u8]) -> Result<Option<std::ops::Range<usize>>, DecodeError> {
        match read_varint(input) {
            Varint::Short => Ok(None),
            Varint::Overflow => Err(DecodeError::Length),
            Varint::Whole { value, size } => {
                if value > self.limit_bytes as u64 + HEADER_SLACK_BYTES {
                    let limit_bytes = self.limit_bytes;
                    return Err(DecodeError::Oversized { found_bytes: value, limit_bytes });
                }
                Ok(Some(size..size + value as usize))
            }
        }
    }

    fn open<'a>(&mut self, body: &'a [u8]) -> Result<&'a [u8], Malformed> {
        let (tag, rest) = body.split_first().ok_or(Malformed::Header)?;
        if *tag != self.lane.tag() {
            return Err(Malformed::Lane(*tag));
        }
        let Varint::Whole { value: found, size } = read_varint(rest) else {
            return Err(Malformed::Header);
        };
        if found <= self.last_sequence {
            return Err(Malformed::Sequence { found, last: self.last_sequence });
        }
        self.last_sequence = found;
        Ok(rest.get(size..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encode(lane: Lane, sequence: u64, payload: &[u8]) -> Vec<u8> {
        let mut bytes = frame_header(lane, sequence, payload.len()).as_bytes().to_vec();
        bytes.extend_from_slice(payload);
        bytes
    }

    fn decode(decoder: &mut FrameDecoder, chunk: &[u8]) -> Vec<Result<Vec<u8>, Malformed>> {
        let mut found = Vec::new();
        decoder.feed(chunk, |frame| found.push(frame.map(<[u8]>::to_vec))).unwrap();
        found
    }

    #[test]
    fn a_bad_frame_is_skipped_and_the_next_one_read() {
        let mut decoder = FrameDecoder::new(Lane::Pg, 100);
        let mut bytes = encode(Lane::Pg, 1, b"a");
        bytes.extend(encode(Lane::Bulk, 2, b"b"));
        bytes.extend(encode(Lane::Pg, 1, b"c"));
        bytes.extend([0]);
        bytes.extend([2, Lane::Pg.tag(), 0x80]);
        bytes.extend(encode(Lane::Pg, 9, b"d"));
        assert_eq!(
            decode(&mut decoder, &bytes),
            [
                Ok(b"a".to_vec()),
                Err(Malformed::Lane(Lane::Bulk.tag())),
                Err(Malformed::Sequence { found: 1, last: 1 }),
                Err(Malformed::Header),
                Err(Malformed::Header),
                Ok(b"d".to_vec()),
            ]
        );
    }

    #[test]
    fn lengths_that_cannot_be_end_the_stream() {
        let mut decoder = FrameDecoder::new(Lane::Pg, 100);
        let oversized = encode(Lane::Pg, 1, &[0; 200]);
        let error = decoder.feed(&oversized, |_| panic!("no frame")).unwrap_err();
        assert!(matches!(error, DecodeError::Oversized { limit_bytes: 100, .. }));
        assert_eq!(Refusal::from(error).code, CloseCode::Oversized);
        let mut decoder = FrameDecoder::new(Lane::Pg, 100);
        let error = decoder.feed(&[0xff; 11], |_| panic!("no frame")).unwrap_err();
        assert_eq!(error, DecodeError::Length);
    }

    #[test]
    fn the_limit_is_about_the_payload() {
        let mut decoder = FrameDecoder::new(Lane::Bulk, 100);
        let exact = encode(Lane::Bulk, u64::MAX, &[7; 100]);
        assert_eq!(decode(&mut decoder, &exact), [Ok(vec![7; 100])]);
    }

    proptest! {
        #[test]
        fn frames_survive_any_chunking(
            payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..20),
            cuts in prop::collection::vec(1_usize..100, 1..50),
        ) {
            let mut bytes = Vec::new();
            for (index, payload) in payloads.iter().enumerate() {
                bytes.extend(encode(Lane::Message, index as u64 + 1, payload));
            }
            let mut decoder = FrameDecoder::new(Lane::Message, 300);
            let mut found = Vec::new();
            let mut rest = bytes.as_slice();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                found.extend(decode(&mut decoder, now));
                rest = later;
            }
            prop_assert_eq!(found, payloads.into_iter().map(Ok).collect::<Vec<_>>());
        }

        #[test]
        fn garbage_never_panics_and_never_hoards(chunks: Vec<Vec<u8>>) {
            let mut decoder = FrameDecoder::new(Lane::Control, 1000);
            for chunk in &chunks {
                if decoder.feed(chunk, |_| ()).is_err() {
                    break;
                }
                prop_assert!(decoder.partial.len() <= 1000 + 3 * MAX_VARINT_BYTES);
            }
        }
    }
}
