use super::MalformedFrame;

/// Appends `value` in groups of seven bits, lowest first.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends the length of `text` and `text`.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Reads what the functions above wrote, from bytes that nobody vouches for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything that was not read.
    pub(super) fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Room to reserve for `count` items of at least `item_bytes` each: never more than the bytes
    /// that are there could hold.
    pub(super) fn capacity(&self, count: u64, item_bytes: usize) -> usize {
        usize::try_from(count).unwrap_or(usize::MAX).min(self.rest.len() / item_bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, MalformedFrame> {
        let (first, rest) = self.rest.split_first().ok_or(MalformedFrame::Truncated)?;
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], MalformedFrame> {
        let (first, rest) = self.rest.split_first_chunk().ok_or(MalformedFrame::Truncated)?;
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn varint(&mut self) -> Result<u64, MalformedFrame> {
        let mut value = 0u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits.leading_zeros() < shift {
                return Err(MalformedFrame::Number);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(MalformedFrame::Number)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, MalformedFrame> {
        let length = usize::try_from(self.varint()?).map_err(|_| MalformedFrame::Truncated)?;
        let (text, rest) = self.rest.split_at_checked(length).ok_or(MalformedFrame::Truncated)?;
        self.rest = rest;
        std::str::from_utf8(text).map_err(|_| MalformedFrame::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip_and_stop_at_64_bits() {
        for value in [0, 1, 127, 128, 16_383, 16_384, 1 << 54, u64::MAX - 1, u64::MAX] {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            let mut cursor = Cursor::new(&out);
            assert_eq!(cursor.varint(), Ok(value));
            assert!(cursor.is_empty());
        }
        let too_large = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        assert_eq!(Cursor::new(&too_large).varint(), Err(MalformedFrame::Number));
        assert_eq!(Cursor::new(&[0x80; 20]).varint(), Err(MalformedFrame::Number));
        assert_eq!(Cursor::new(&[0x80; 3]).varint(), Err(MalformedFrame::Truncated));
    }

    #[test]
    fn texts_are_checked() {
        let mut out = Vec::new();
        put_text(&mut out, "grüße");
        assert_eq!(Cursor::new(&out).text(), Ok("grüße"));
        assert_eq!(Cursor::new(&out[..3]).text(), Err(MalformedFrame::Truncated));
        assert_eq!(Cursor::new(&[1, 0xff]).text(), Err(MalformedFrame::Text));
        let mut huge = Vec::new();
        put_varint(&mut huge, u64::MAX);
        assert_eq!(Cursor::new(&huge).text(), Err(MalformedFrame::Truncated));
    }
}
