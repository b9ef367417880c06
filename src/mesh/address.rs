use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};

use super::config::{DEFAULT_PORT, MeshConfig, PortChoice, split_seed};
use super::error::StartError;

/// Ports tried by [`PortChoice::FirstFree`] before any other.
const PORTS: std::ops::Range<u16> = DEFAULT_PORT..DEFAULT_PORT + 10;

/// The socket of the mesh. It is bound once and kept, so no port is found free and then lost.
pub(super) fn bind(config: &MeshConfig) -> Result<(UdpSocket, SocketAddr), StartError> {
    let ports: Vec<u16> = match config.bind_port {
        PortChoice::Fixed(port) => vec![port],
        PortChoice::FirstFree => PORTS.chain([0]).collect(),
    };
    let mut last = None;
    for port in ports {
        let addr = SocketAddr::new(config.bind_addr, port);
        match UdpSocket::bind(addr).and_then(|socket| Ok((socket.local_addr()?, socket))) {
            Ok((bound, socket)) => return Ok((socket, bound)),
            Err(source) => last = Some(StartError::Bind { addr, source }),
        }
    }
    Err(last.unwrap_or_else(|| StartError::Config("no port to listen on".to_owned())))
}

/// The address that others are told. A node that listens on every address tells the one it would
/// use to reach its seeds, else the one it would use to reach the world; never the wildcard.
pub(super) fn advertised(config: &MeshConfig, bound: SocketAddr) -> Result<SocketAddr, StartError> {
    let port = config.advertise_port.unwrap_or(bound.port());
    let ip = match config.advertise_addr {
        Some(ip) if ip.is_unspecified() => None,
        Some(ip) => Some(ip),
        None if !bound.ip().is_unspecified() => Some(bound.ip()),
        None => towards_seeds(config, bound.ip()).or_else(|| towards_the_world(bound.ip())),
    };
    let node = config.origin.node.clone();
    ip.map(|ip| SocketAddr::new(ip, port)).ok_or(StartError::NoAddress { node, bound })
}

/// Whether a datagram to `addr` would come back to the socket bound at `bound`.
pub(super) fn is_own(addr: SocketAddr, bound: SocketAddr) -> bool {
    let same_ip = if bound.ip().is_unspecified() {
        // Only an address of this machine can be bound.
        UdpSocket::bind((addr.ip(), 0)).is_ok()
    } else {
        addr.ip() == bound.ip()
    };
    addr.port() == bound.port() && same_ip
}

fn towards_seeds(config: &MeshConfig, local: IpAddr) -> Option<IpAddr> {
    let seeds: Vec<(String, u16)> =
        config.seeds.iter().filter_map(|seed| split_seed(seed).ok()).collect();
    let literal = seeds.iter().filter_map(|(host, port)| {
        let ip = host.parse::<IpAddr>().ok()?;
        source(local, SocketAddr::new(ip, *port))
    });
    let named = seeds.iter().filter_map(|(host, port)| {
        let mut found = (host.as_str(), *port).to_socket_addrs().ok()?;
        found.find_map(|addr| source(local, addr))
    });
    literal.chain(named).next()
}

/// The addresses are set aside for documentation; nothing is ever sent to them.
fn towards_the_world(local: IpAddr) -> Option<IpAddr> {
    let v4 = SocketAddr::from((Ipv4Addr::new(192, 0, 2, 1), 9));
    let v6 = SocketAddr::from((Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 9));
    [v4, v6].into_iter().find_map(|target| source(local, target))
}

/// The local address that packets to `target` would carry. Connecting a UDP socket only asks the
/// routing table.
fn source(local: IpAddr, target: SocketAddr) -> Option<IpAddr> {
    let any: SocketAddr = match (local, target) {
        (_, SocketAddr::V4(_)) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        (IpAddr::V6(_), SocketAddr::V6(_)) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        (IpAddr::V4(_), SocketAddr::V6(_)) => return None,
    };
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect(target).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified()).then_some(ip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{Incarnation, Origin};
    use crate::mesh::certs::TlsFiles;

    fn config(bind_addr: &str, bind_port: PortChoice) -> MeshConfig {
        let origin = Origin { node: "n1".parse().unwrap(), incarnation: Incarnation(1) };
        let tls = TlsFiles { certificate: "c".into(), key: "k".into(), authority: "a".into() };
        let mut config = MeshConfig::new("blue", origin, bind_addr.parse().unwrap(), tls);
        config.bind_port = bind_port;
        config
    }

    #[test]
    fn a_taken_port_is_an_error_only_if_it_was_asked_for() {
        let (_first, addr) = bind(&config("127.0.0.1", PortChoice::Fixed(0))).unwrap();
        let taken = bind(&config("127.0.0.1", PortChoice::Fixed(addr.port()))).unwrap_err();
        assert!(taken.to_string().starts_with(&format!("cannot listen on {addr}: ")), "{taken}");
        let sockets: Vec<_> =
            (0..12).map(|_| bind(&config("127.0.0.1", PortChoice::FirstFree)).unwrap()).collect();
        assert_eq!(sockets.len(), 12);
    }

    #[test]
    fn the_wildcard_is_never_told() {
        let bound: SocketAddr = "0.0.0.0:7950".parse().unwrap();
        let mut config = config("0.0.0.0", PortChoice::FirstFree);
        config.seeds = vec!["127.0.0.1:7951".to_owned()];
        assert_eq!(advertised(&config, bound).unwrap(), "127.0.0.1:7950".parse().unwrap());
        config.seeds.clear();
        match advertised(&config, bound) {
            Ok(addr) => assert!(!addr.ip().is_unspecified()),
            Err(error) => assert!(error.to_string().contains("advertise_addr"), "{error}"),
        }
        config.advertise_addr = Some("0.0.0.0".parse().unwrap());
        assert!(matches!(advertised(&config, bound), Err(StartError::NoAddress { .. })));
        config.advertise_addr = Some("10.1.2.3".parse().unwrap());
        config.advertise_port = Some(99);
        assert_eq!(advertised(&config, bound).unwrap(), "10.1.2.3:99".parse().unwrap());
    }

    #[test]
    fn own_addresses_are_recognised() {
        let wildcard = "0.0.0.0:7950".parse().unwrap();
        assert!(is_own("127.0.0.1:7950".parse().unwrap(), wildcard));
        assert!(!is_own("127.0.0.1:7951".parse().unwrap(), wildcard));
        assert!(!is_own("192.0.2.1:7950".parse().unwrap(), wildcard));
        let one = "127.0.0.1:7950".parse().unwrap();
        assert!(is_own(one, one));
        assert!(!is_own("127.0.0.2:7950".parse().unwrap(), one));
    }
}
