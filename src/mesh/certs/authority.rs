use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::string::Ia5String;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};

use super::CertsError;
use crate::id::NodeName;

/// How far before the moment of issue a certificate begins to be valid, so that a node whose clock
/// is slow takes it at once.
pub const BACKDATED: Duration = Duration::from_secs(3600);

/// When a certificate is valid: from [`BACKDATED`] before `issued` until `lifetime` after it.
#[derive(Clone, Copy, Debug)]
pub struct Validity {
    /// The moment of issue.
    pub issued: SystemTime,
    /// How long after it the certificate expires.
    pub lifetime: Duration,
}

impl Validity {
    /// Issued now, for this many days.
    pub fn days(days: u32) -> Self {
        let lifetime = Duration::from_secs(u64::from(days) * 86_400);
        Self { issued: SystemTime::now(), lifetime }
    }

    fn apply(self, params: &mut CertificateParams) {
        let start = self.issued.checked_sub(BACKDATED).unwrap_or(UNIX_EPOCH);
        params.not_before = start.into();
        params.not_after = (self.issued + self.lifetime).into();
    }
}

/// A certificate and its private key, as PEM text.
#[derive(Clone)]
pub struct PemPair {
    /// The certificate.
    pub certificate: String,
    /// The private key (PKCS #8). Keep it out of logs.
    pub key: String,
}

/// The authority of one cluster: whoever holds it can make nodes.
pub struct Authority {
    pair: PemPair,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// Makes a new authority. `cluster` only shows in its name.
    pub fn create(cluster: &str, validity: Validity) -> Result<Self, CertsError> {
        let key = KeyPair::generate().map_err(make)?;
        let mut params = CertificateParams::default();
        validity.apply(&mut params);
        // A part that differs each time: a certificate of another authority of the same cluster
        // name is then found to have an unknown issuer, not a broken signature.
        let unique = params
            .key_identifier(&key)
            .iter()
            .take(4)
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        params.distinguished_name.push(DnType::OrganizationName, "Moonmesh");
        params
            .distinguished_name
            .push(DnType::CommonName, format!("{cluster} cluster authority {unique}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key).map_err(make)?.pem();
        let pair = PemPair { certificate, key: key.serialize_pem() };
        Ok(Self { pair, issuer: Issuer::new(params, key) })
    }

    /// The authority from its own two texts.
    pub fn from_pem(pair: PemPair) -> Result<Self, CertsError> {
        let key = KeyPair::from_pem(&pair.key).map_err(make)?;
        let issuer = Issuer::from_ca_cert_pem(&pair.certificate, key).map_err(make)?;
        Ok(Self { pair, issuer })
    }

    /// The certificate, which every node needs, and the key, which none does.
    pub fn pem(&self) -> &PemPair {
        &self.pair
    }

    /// Makes a certificate and a key for a node.
    pub fn issue(&self, node: &NodeName, validity: Validity) -> Result<PemPair, CertsError> {
        let key = KeyPair::generate().map_err(make)?;
        let mut params = CertificateParams::default();
        validity.apply(&mut params);
        params.distinguished_name.push(DnType::OrganizationName, "Moonmesh");
        params.distinguished_name.push(DnType::CommonName, node.as_str());
        let name = Ia5String::try_from(node.as_str()).map_err(make)?;
        params.subject_alt_names = vec![SanType::DnsName(name)];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(&key, &self.issuer).map_err(make)?.pem();
        Ok(PemPair { certificate, key: key.serialize_pem() })
    }
}

fn make(error: rcgen::Error) -> CertsError {
    CertsError::Make(error.to_string())
}
