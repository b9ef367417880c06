use std::sync::Arc;
use std::time::SystemTime;

use super::certs::{Material, Pem};
use super::shared::Shared;

/// Looks at the certificate files from time to time and takes a changed set for new connections. A
/// set that does not fit together, or that peers would refuse, is logged and the old one kept.
pub(super) async fn watch_certificates(shared: Arc<Shared>, mut last: Pem) {
    let mut failed = false;
    loop {
        tokio::time::sleep(shared.config.times.certificate_interval).await;
        let files = shared.config.tls.clone();
        let Ok(read) = tokio::task::spawn_blocking(move || Pem::read(&files)).await else {
            continue;
        };
        let pem = match read {
            Ok(pem) => pem,
            Err(error) => {
                if !failed {
                    tracing::warn!(%error, "certificate files cannot be read, the old ones stay");
                }
                failed = true;
                continue;
            }
        };
        let changed = !same(&pem, &last);
        if !changed && !failed {
            continue;
        }
        let outcome = Material::from_pem(&pem, &shared.config.origin.node, SystemTime::now());
        match outcome {
            Ok(material) => {
                let serial = material.details().serial.clone();
                shared.material.store(Arc::new(material));
                tracing::info!(%serial, "new certificate for new connections");
                failed = false;
            }
            Err(error) => {
                if changed {
                    tracing::warn!(%error, "changed certificate is not usable, the old one stays");
                }
                failed = true;
            }
        }
        last = pem;
    }
}

fn same(a: &Pem, b: &Pem) -> bool {
    a.certificate == b.certificate && a.key == b.key && a.authority == b.authority
}
