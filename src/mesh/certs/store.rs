use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Authority, CertsError, Details, Material, Pem, PemPair, TlsFiles, Validity};
use crate::id::NodeName;

const AUTHORITY: &str = "ca";

/// A directory that holds a cluster's authority (`ca.crt`, `ca.key`) and its nodes (`NAME.crt`,
/// `NAME.key`). Keys are readable by their owner only; every file is replaced in one step.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
}

impl Store {
    /// The store in this directory, which need not exist yet.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Where the files of a node are, for its configuration.
    pub fn files(&self, node: &NodeName) -> TlsFiles {
        TlsFiles {
            certificate: self.path(node.as_str(), "crt"),
            key: self.path(node.as_str(), "key"),
            authority: self.path(AUTHORITY, "crt"),
        }
    }

    /// Makes the authority. An existing one is never replaced: all its nodes would be strangers.
    pub fn init(&self, cluster: &str, validity: Validity) -> Result<Details, CertsError> {
        fs::create_dir_all(&self.directory).map_err(|e| CertsError::file(&self.directory, e))?;
        let advice = "remove it by hand to start a new cluster";
        self.must_be_free(AUTHORITY, advice)?;
        let authority = Authority::create(cluster, validity)?;
        self.write(AUTHORITY, authority.pem())
    }

    /// Makes the certificate and key of a new node.
    pub fn issue(&self, node: &NodeName, validity: Validity) -> Result<Details, CertsError> {
        self.must_be_a_node(node)?;
        self.must_be_free(node.as_str(), "use renew to replace it")?;
        self.make(node, validity)
    }

    /// Replaces the certificate and key of a node that has one. A running node takes the new pair
    /// for its next connections.
    pub fn renew(&self, node: &NodeName, validity: Validity) -> Result<Details, CertsError> {
        self.must_be_a_node(node)?;
        let certificate = self.path(node.as_str(), "crt");
        fs::metadata(&certificate).map_err(|e| CertsError::file(certificate, e))?;
        self.make(node, validity)
    }

    /// What every certificate in the directory says, the authority first, then by file name.
    pub fn show(&self) -> Result<Vec<(PathBuf, Details)>, CertsError> {
        let failed = |error| CertsError::file(&self.directory, error);
        let mut paths = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "crt") {
                paths.push(path);
            }
        }
        let authority = self.path(AUTHORITY, "crt");
        paths.sort_by(|a, b| (*a != authority, a).cmp(&(*b != authority, b)));
        paths.into_iter().map(|path| Ok((path.clone(), read_details(&path)?))).collect()
    }

    fn make(&self, node: &NodeName, validity: Validity) -> Result<Details, CertsError> {
        let read = |path: PathBuf| {
            fs::read_to_string(&path).map_err(|error| CertsError::file(path, error))
        };
        let certificate = read(self.path(AUTHORITY, "crt"))?;
        let key = read(self.path(AUTHORITY, "key"))?;
        let authority = Authority::from_pem(PemPair { certificate, key })?;
        let pair = authority.issue(node, validity)?;
        let made = Pem {
            files: self.files(node),
            certificate: pair.certificate.clone().into_bytes(),
            key: pair.key.clone().into_bytes(),
            authority: authority.pem().certificate.clone().into_bytes(),
        };
        Material::from_pem(&made, node, SystemTime::now())?;
        self.write(node.as_str(), &pair)
    }

    fn write(&self, stem: &str, pair: &PemPair) -> Result<Details, CertsError> {
        let certificate = self.path(stem, "crt");
        replace(&self.path(stem, "key"), pair.key.as_bytes(), 0o600)?;
        replace(&certificate, pair.certificate.as_bytes(), 0o644)?;
        Details::from_pem(&certificate, pair.certificate.as_bytes())
    }

    fn must_be_free(&self, stem: &str, advice: &'static str) -> Result<(), CertsError> {
        for extension in ["crt", "key"] {
            let path = self.path(stem, extension);
            if path.exists() {
                return Err(CertsError::Exists { path, advice });
            }
        }
        Ok(())
    }

    fn must_be_a_node(&self, node: &NodeName) -> Result<(), CertsError> {
        if node.as_str() == AUTHORITY {
            let path = self.path(AUTHORITY, "crt");
            return Err(CertsError::Exists {
                path,
                advice: "choose another node name than \"ca\"",
            });
        }
        Ok(())
    }

    fn path(&self, stem: &str, extension: &str) -> PathBuf {
        self.directory.join(format!("{stem}.{extension}"))
    }
}

fn read_details(path: &Path) -> Result<Details, CertsError> {
    let pem = fs::read(path).map_err(|error| CertsError::file(path, error))?;
    Details::from_pem(path, &pem)
}

/// Writes beside `path` and renames, so that nobody ever reads half a file.
fn replace(path: &Path, content: &[u8], mode: u32) -> Result<(), CertsError> {
    let beside = path.with_extension(format!("tmp{}", std::process::id()));
    let write = || -> io::Result<()> {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&beside)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&beside);
        CertsError::file(path, error)
    })
}
