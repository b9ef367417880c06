use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::time::ASN1Time;

use super::CertsError;

/// What a certificate may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Signs the certificates of nodes.
    Authority,
    /// Identifies a node.
    Node,
}

/// A certificate's validity at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It begins in the future.
    NotYetValid,
    /// It is in force.
    Valid,
    /// It is over.
    Expired,
}

/// What a certificate says, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Authority or node.
    pub role: Role,
    /// The subject, such as `O=Moonmesh, CN=n1`.
    pub subject: String,
    /// The subject of whoever signed it.
    pub issuer: String,
    /// The node names that it is for; none for an authority.
    pub names: Vec<String>,
    /// The serial number in hexadecimal.
    pub serial: String,
    /// The first moment of validity.
    pub not_before: SystemTime,
    /// The last moment of validity.
    pub not_after: SystemTime,
}

impl Details {
    /// Reads the first certificate of a PEM text; `path` is for the error.
    pub fn from_pem(path: &Path, pem: &[u8]) -> Result<Self, CertsError> {
        let der = CertificateDer::from_pem_slice(pem)
            .map_err(|_| CertsError::content(path, "no certificate in it (PEM expected)"))?;
        Self::from_der(&der).ok_or_else(|| CertsError::content(path, "certificate cannot be read"))
    }

    /// Reads a certificate; `None` if it is none.
    pub fn from_der(der: &[u8]) -> Option<Self> {
        let (_, certificate) = x509_parser::parse_x509_certificate(der).ok()?;
        let validity = certificate.validity();
        Some(Self {
            role: if certificate.is_ca() { Role::Authority } else { Role::Node },
            subject: certificate.subject().to_string(),
            issuer: certificate.issuer().to_string(),
            names: names(&certificate),
            serial: certificate.raw_serial_as_string(),
            not_before: moment(validity.not_before),
            not_after: moment(validity.not_after),
        })
    }

    /// The certificate's validity at `now`.
    pub fn state(&self, now: SystemTime) -> State {
        if now < self.not_before {
            State::NotYetValid
        } else if now > self.not_after {
            State::Expired
        } else {
            State::Valid
        }
    }
}

fn names(certificate: &X509Certificate<'_>) -> Vec<String> {
    let Ok(Some(extension)) = certificate.subject_alternative_name() else { return Vec::new() };
    let dns = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(text) => Some((*text).to_owned()),
        _ => None,
    };
    extension.value.general_names.iter().filter_map(dns).collect()
}

fn moment(time: ASN1Time) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(u64::try_from(time.timestamp()).unwrap_or(0))
}
