use std::fmt;
use std::path::Path;

use crate::document::{Source, code as document_code};

use super::code;
use super::section::Section;

/// Longest file that a secret is read from, in bytes.
const MAX_SECRET_FILE_BYTES: u64 = 4096;

/// A shared secret of 16, 24 or 32 bytes. It does not print.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

/// Why a text is not a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum SecretError {
    /// Not base64.
    #[error("the secret is not base64: make one with `openssl rand -base64 32`")]
    NotBase64,
    /// Of another length.
    #[error("the secret has {0} bytes, not 16, 24 or 32: make one with `openssl rand -base64 32`")]
    Length(usize),
}

impl Secret {
    /// Reads standard base64 with or without padding; white space at the ends is ignored.
    pub(super) fn parse(text: &str) -> Result<Self, SecretError> {
        let bytes = decode(text.trim()).ok_or(SecretError::NotBase64)?;
        match bytes.len() {
            16 | 24 | 32 => Ok(Self(bytes)),
            length => Err(SecretError::Length(length)),
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(...)")
    }
}

/// The secret in `secret_file`, else that in `secret_key`.
pub(super) fn read(section: &mut Section<'_, '_>) -> Option<Secret> {
    let key = section.text("secret_key");
    let (name, text, place) = match section.path("secret_file") {
        Some(path) => ("secret_file", secret_file(section, &path)?, None),
        None => {
            let key = key?;
            ("secret_key", key.text.to_string(), Some(key.span))
        }
    };
    match (Secret::parse(&text), place) {
        (Ok(secret), _) => Some(secret),
        (Err(error), Some(place)) => {
            // The excerpt of a report must not show it.
            section.refuse_at(place.without_text(), name, code::BAD_SECRET, error.to_string());
            None
        }
        (Err(error), None) => {
            section.refuse(name, code::BAD_SECRET, error.to_string());
            None
        }
    }
}

fn secret_file(section: &mut Section<'_, '_>, path: &Path) -> Option<String> {
    let name = path.display().to_string();
    match Source::read(path, name.as_str(), MAX_SECRET_FILE_BYTES) {
        Ok(source) => Some(source.text().to_string()),
        Err(error) => {
            let message = format!("{name}: {error}");
            section.refuse("secret_file", document_code::UNREADABLE, message);
            None
        }
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if digits.len() % 4 == 1 || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut buffer, mut bits) = (0u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        buffer = (buffer << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_base64_of_a_key_length() {
        let secret = Secret::parse("AAECAwQFBgcICQoLDA0ODw==\n").unwrap();
        assert_eq!(secret.bytes(), (0..16).collect::<Vec<u8>>());
        assert_eq!(Secret::parse("AAECAwQFBgcICQoLDA0ODw"), Ok(secret.clone()));
        assert_eq!(Secret::parse(&"/".repeat(32)).unwrap().bytes(), [0xff; 24]);
        assert_eq!(Secret::parse("AAEC"), Err(SecretError::Length(3)));
        assert_eq!(Secret::parse(""), Err(SecretError::Length(0)));
        for bad in ["A", "AAE*", "AA===", "=AAA"] {
            assert_eq!(Secret::parse(bad), Err(SecretError::NotBase64), "{bad}");
        }
        assert_eq!(format!("{secret:?}"), "Secret(...)");
    }
}
