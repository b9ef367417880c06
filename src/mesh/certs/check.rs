use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore,
    SignatureScheme,
};

use super::{Details, Role};

/// The check that a certificate has failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The authority of this cluster has not signed it.
    #[error("not signed by this cluster's authority, but by {issuer}")]
    OtherAuthority {
        /// Who signed it.
        issuer: String,
    },
    /// Its time is over.
    #[error("expired at {}", utc(*.0))]
    Expired(SystemTime),
    /// Its time has not begun.
    #[error("not valid before {}; compare the clocks", utc(*.0))]
    NotYetValid(SystemTime),
    /// It is an authority, not a node.
    #[error("it is the certificate of an authority, not of a node")]
    IsAuthority,
    /// It is for other nodes.
    #[error("it is for [{}]", .0.join(", "))]
    OtherName(Vec<String>),
    /// Anything else, in the words of the TLS library.
    #[error("{0}")]
    Other(String),
}

fn utc(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).map_or_else(|_| "an unknown time".to_owned(), |t| t.to_string())
}

/// Checks one peer's certificate in a handshake, on either side, and remembers why it was refused.
///
/// The chain, the validity and the signature are checked here; the name is compared with the hello
/// afterwards, because a node that dials a seed does not know yet whom it will reach.
#[derive(Debug)]
pub struct PeerCheck {
    roots: Arc<RootCertStore>,
    algorithms: WebPkiSupportedAlgorithms,
    refused: Mutex<Option<Refused>>,
}

/// A refused certificate: whom it claims to be for, and why not.
#[derive(Clone, Debug)]
struct Refused {
    names: Vec<String>,
    problem: Problem,
}

impl PeerCheck {
    pub(super) fn new(roots: Arc<RootCertStore>, algorithms: WebPkiSupportedAlgorithms) -> Self {
        Self { roots, algorithms, refused: Mutex::new(None) }
    }

    /// Why the certificate was refused, with the name that it claims; `None` if it was not.
    pub fn refusal(&self) -> Option<String> {
        self.refused.lock().as_ref().map(|Refused { names, problem }| {
            format!("certificate for [{}] refused: {problem}", names.join(", "))
        })
    }

    /// Checks a chain at `now`.
    pub(super) fn verify(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), (Problem, Error)> {
        let details = Details::from_der(end_entity);
        let outcome = match &details {
            Some(Details { role: Role::Authority, .. }) => {
                let error = Error::InvalidCertificate(CertificateError::InvalidPurpose);
                Err((Problem::IsAuthority, error))
            }
            _ => rustls::server::ParsedCertificate::try_from(end_entity)
                .and_then(|parsed| {
                    rustls::client::verify_server_cert_signed_by_trust_anchor(
                        &parsed,
                        &self.roots,
                        intermediates,
                        now,
                        self.algorithms.all,
                    )
                })
                .map_err(|error| (classify(&error, details.as_ref(), now), error)),
        };
        if let Err((problem, _)) = &outcome {
            let names = details.map(|details| details.names).unwrap_or_default();
            *self.refused.lock() = Some(Refused { names, problem: problem.clone() });
        }
        outcome
    }
}

/// The problem behind an error of the TLS library.
fn classify(error: &Error, details: Option<&Details>, now: UnixTime) -> Problem {
    let (Error::InvalidCertificate(kind), Some(details)) = (error, details) else {
        return Problem::Other(error.to_string());
    };
    let now = UNIX_EPOCH + Duration::from_secs(now.as_secs());
    match kind {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            Problem::OtherAuthority { issuer: details.issuer.clone() }
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. }
            if details.not_after < now =>
        {
            Problem::Expired(details.not_after)
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }
            if details.not_before > now =>
        {
            Problem::NotYetValid(details.not_before)
        }
        _ => Problem::Other(error.to_string()),
    }
}

impl ServerCertVerifier for PeerCheck {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.verify(end_entity, intermediates, now)
            .map(|()| ServerCertVerified::assertion())
            .map_err(|(_, error)| error)
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("TLS 1.2 is not offered".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl ClientCertVerifier for PeerCheck {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.verify(end_entity, intermediates, now)
            .map(|()| ClientCertVerified::assertion())
            .map_err(|(_, error)| error)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        ServerCertVerifier::verify_tls12_signature(self, message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        ServerCertVerifier::verify_tls13_signature(self, message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
