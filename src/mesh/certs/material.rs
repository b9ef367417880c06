use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use super::{CertsError, Details, PeerCheck, Problem};
use crate::id::NodeName;

/// The protocol name that both sides offer in the handshake, so that a stray QUIC client of some
/// other kind fails there.
const PROTOCOL: &[u8] = b"moonmesh";

/// Where a node's certificate, its key and the cluster's authority are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The node's certificate, PEM, with intermediates after it if there are any.
    pub certificate: PathBuf,
    /// The private key of that certificate, PEM.
    pub key: PathBuf,
    /// The certificate of the cluster's authority, PEM; several while one replaces another.
    pub authority: PathBuf,
}

/// The texts of the three files, and where they came from.
#[derive(Clone)]
pub struct Pem {
    /// The paths, for errors.
    pub files: TlsFiles,
    /// The node's certificate.
    pub certificate: Vec<u8>,
    /// Its private key.
    pub key: Vec<u8>,
    /// The authority's certificate.
    pub authority: Vec<u8>,
}

impl Pem {
    /// Reads the three files.
    pub fn read(files: &TlsFiles) -> Result<Self, CertsError> {
        let read = |path: &Path| std::fs::read(path).map_err(|e| CertsError::file(path, e));
        Ok(Self {
            files: files.clone(),
            certificate: read(&files.certificate)?,
            key: read(&files.key)?,
            authority: read(&files.authority)?,
        })
    }
}

/// What a node shows in a handshake, and whom it believes. Checked when it is made, so a node never
/// starts with, or changes to, something its peers would refuse.
#[derive(Debug)]
pub struct Material {
    key: Arc<CertifiedKey>,
    roots: Arc<RootCertStore>,
    provider: Arc<CryptoProvider>,
    details: Details,
}

impl Material {
    /// Checks the texts for `node` at `now`.
    pub fn from_pem(pem: &Pem, node: &NodeName, now: SystemTime) -> Result<Self, CertsError> {
        let Pem { files, .. } = pem;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let chain = certificates(&files.certificate, &pem.certificate)?;
        let private = PrivateKeyDer::from_pem_slice(&pem.key)
            .map_err(|_| CertsError::content(&files.key, "no private key in it (PEM expected)"))?;
        let key = CertifiedKey::from_der(chain, private, &provider).map_err(|error| {
            let certificate = files.certificate.display();
            CertsError::content(
                &files.key,
                format!("does not fit the certificate {certificate}: {error}"),
            )
        })?;
        let mut roots = RootCertStore::empty();
        for root in certificates(&files.authority, &pem.authority)? {
            roots.add(root).map_err(|error| CertsError::content(&files.authority, error))?;
        }
        let details = Details::from_pem(&files.certificate, &pem.certificate)?;
        let material = Self { key: Arc::new(key), roots: Arc::new(roots), provider, details };
        material.check_own(node, now).map_err(|problem| CertsError::Refused {
            path: files.certificate.clone(),
            node: node.clone(),
            problem,
        })?;
        Ok(material)
    }

    /// The node's own certificate.
    pub fn details(&self) -> &Details {
        &self.details
    }

    /// A fresh check for one handshake.
    pub fn peer_check(&self) -> Arc<PeerCheck> {
        let algorithms = self.provider.signature_verification_algorithms;
        Arc::new(PeerCheck::new(self.roots.clone(), algorithms))
    }

    /// The settings of the dialling side; mutual, TLS 1.3 only, never resumed, so that every
    /// connection is checked in full.
    pub fn client(&self, check: Arc<PeerCheck>) -> Result<ClientConfig, rustls::Error> {
        let mut config = ClientConfig::builder_with_provider(self.provider.clone())
            .with_protocol_versions(&[&TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(check)
            .with_client_cert_resolver(Arc::new(SingleCertAndKey::from(self.key.clone())));
        config.resumption = Resumption::disabled();
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(config)
    }

    /// The settings of the accepting side.
    pub fn server(&self, check: Arc<PeerCheck>) -> Result<ServerConfig, rustls::Error> {
        let mut config = ServerConfig::builder_with_provider(self.provider.clone())
            .with_protocol_versions(&[&TLS13])?
            .with_client_cert_verifier(check)
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(self.key.clone())));
        config.send_tls13_tickets = 0;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(config)
    }

    fn check_own(&self, node: &NodeName, now: SystemTime) -> Result<(), Problem> {
        let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let Some((own, intermediates)) = self.key.cert.split_first() else {
            return Err(Problem::Other("no certificate".to_owned()));
        };
        self.peer_check()
            .verify(own, intermediates, UnixTime::since_unix_epoch(since))
            .map_err(|(problem, _)| problem)?;
        if self.details.names.iter().any(|name| name == node.as_str()) {
            Ok(())
        } else {
            Err(Problem::OtherName(self.details.names.clone()))
        }
    }
}

fn certificates(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, CertsError> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match all {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(CertsError::content(path, "no certificate in it (PEM expected)")),
    }
}
