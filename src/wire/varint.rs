/// Longest encoding of a varint, in bytes.
pub const MAX_VARINT_BYTES: usize = 10;

/// The outcome of reading a varint from the start of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varint {
    /// A whole number and how many bytes it took.
    Whole {
        /// The number.
        value: u64,
        /// Bytes used, 1 to [`MAX_VARINT_BYTES`].
        size: usize,
    },
    /// The buffer ends inside the number.
    Short,
    /// More than 64 bits.
    Overflow,
}

/// Reads an unsigned LEB128 number: seven bits a byte, least significant first.
pub fn read_varint(input: &[u8]) -> Varint {
    let mut value = 0_u64;
    for (index, byte) in input.iter().copied().take(MAX_VARINT_BYTES).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if index == MAX_VARINT_BYTES - 1 && byte > 1 {
            return Varint::Overflow;
        }
        value |= bits << (7 * index);
        if byte & 0x80 == 0 {
            return Varint::Whole { value, size: index + 1 };
        }
    }
    if input.len() >= MAX_VARINT_BYTES { Varint::Overflow } else { Varint::Short }
}

/// Writes `value` to the start of `output` and returns the bytes used.
pub fn write_varint(output: &mut [u8; MAX_VARINT_BYTES], mut value: u64) -> usize {
    let mut size = 0;
    for slot in output {
        size += 1;
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            *slot = low;
            break;
        }
        *slot = low | 0x80;
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_edges_round_trip() {
        for value in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut buffer = [0; MAX_VARINT_BYTES];
            let size = write_varint(&mut buffer, value);
            assert_eq!(read_varint(&buffer[..size]), Varint::Whole { value, size });
            assert_eq!(read_varint(&buffer[..size - 1]), Varint::Short);
        }
    }

    #[test]
    fn more_than_64_bits_is_refused() {
        assert_eq!(read_varint(&[0xff; 10]), Varint::Overflow);
        let mut too_big = [0x80; 10];
        too_big[9] = 2;
        assert_eq!(read_varint(&too_big), Varint::Overflow);
    }

    proptest! {
        #[test]
        fn any_number_round_trips(value: u64) {
            let mut buffer = [0; MAX_VARINT_BYTES];
            let size = write_varint(&mut buffer, value);
            prop_assert_eq!(read_varint(&buffer), Varint::Whole { value, size });
        }

        #[test]
        fn garbage_never_panics(bytes: Vec<u8>) {
            read_varint(&bytes);
        }
    }
}
