use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

/// A host with an optional port, as in `10.0.0.1:7950`, `[::1]:7950`, `node-1.example:7950`,
/// `node-1`, or `:9090` for all addresses of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// A name or an IP address without brackets; empty for all addresses of this machine.
    pub host: String,
    /// The port, if one is given.
    pub port: Option<u16>,
}

/// Why a text is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Neither a name nor an IP address.
    #[error("{0:?} is not an address: write host or host:port, an IPv6 address in brackets")]
    Shape(String),
    /// The port is not a number from 0 to 65535.
    #[error("{0:?} has no port from 0 to 65535 behind the colon")]
    Port(String),
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shape = || AddressError::Shape(text.to_owned());
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or_else(shape)?;
                host.parse::<Ipv6Addr>().map_err(|_| shape())?;
                let port = match rest.strip_prefix(':') {
                    Some(port) => Some(port),
                    None if rest.is_empty() => None,
                    None => return Err(shape()),
                };
                (host, port)
            }
            None if text.parse::<Ipv6Addr>().is_ok() => (text, None),
            None => match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
        if !host.chars().all(allowed) || (host.is_empty() && port.is_none()) {
            return Err(shape());
        }
        let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let number = |port: &str| port.parse().ok().filter(|_| is_number(port));
        let port = match port {
            Some(port) => Some(number(port).ok_or_else(|| AddressError::Port(text.to_owned()))?),
            None => None,
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.host.contains(':'), self.port) {
            (true, Some(port)) => write!(f, "[{}]:{port}", self.host),
            (false, Some(port)) => write!(f, "{}:{port}", self.host),
            (_, None) => f.write_str(&self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_printed() {
        for (text, host, port) in [
            ("10.0.0.1:7950", "10.0.0.1", Some(7950)),
            ("node-1.example", "node-1.example", None),
            ("[::1]:80", "::1", Some(80)),
            (":9090", "", Some(9090)),
            ("localhost:0", "localhost", Some(0)),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.host.as_str(), address.port), (host, port));
            assert_eq!(address.to_string(), text);
        }
        assert_eq!("::1".parse(), Ok(Address { host: "::1".to_owned(), port: None }));
        for bad in ["", "a b", "[::1", "[x]:1", "[::1]x", "http://x", "a/b"] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
        for bad in ["a:", "a:x", "a:65536", "a:-1", "a:+1", "a:b:c", ":"] {
            assert_eq!(bad.parse::<Address>(), Err(AddressError::Port(bad.to_owned())));
        }
    }
}
