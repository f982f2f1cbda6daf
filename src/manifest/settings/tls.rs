//! `[http.tls]`: the certificate of the listener.

use super::sections::Reader;
use crate::lang::diag::Diagnostic;
use crate::manifest::lower::codes::{BAD_DATA, UNREADABLE};
use crate::manifest::read::{At, Table};
use crate::manifest::regular;
use crate::model::{KeyPem, TlsError, TlsSettings};

/// Bytes of a file with a certificate or a key: 1 MiB.
const MOST: u64 = 1 << 20;

impl Reader<'_> {
    /// `tls = { cert_file, key_file }`.
    pub(super) fn tls(&self, http: &Table<'_>) -> Option<TlsSettings> {
        let table = http.table("tls")?;
        let files = ["cert_file", "key_file"].map(|key| {
            let named = table.required_string(key)?;
            let read = self.pem(&table, &named)?;
            Some((named, read))
        });
        table.finish();
        let [Some((cert_file, chain)), Some((key_file, key))] = files else {
            return None;
        };
        match TlsSettings::new(chain, KeyPem(key)) {
            Ok(tls) => Some(tls),
            Err(error) => {
                let named = match error {
                    TlsError::Certificate => cert_file,
                    TlsError::Key | TlsError::Mismatch => key_file,
                };
                let message = format!("cannot use `{}`: {error}", named.value);
                http.report(Diagnostic::error(BAD_DATA, named.at, message).help(
                    "the certificate stands first in `cert_file`, then its chain; `key_file` has its key",
                ));
                None
            }
        }
    }

    /// A file's bytes; it is watched like the server file.
    pub(super) fn pem(&self, table: &Table<'_>, named: &At<String>) -> Option<Vec<u8>> {
        let path = self.resolve(&named.at, &named.value);
        let read = regular::read(&path, MOST);
        self.sources.borrow_mut().push(path.clone());
        match read {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", path.display());
                table.error(UNREADABLE, named.at.clone(), message);
                None
            }
        }
    }
}
