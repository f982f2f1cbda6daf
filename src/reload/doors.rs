//! The HTTP listener, as far as a reload moves it: only when its addresses change, and the new ones
//! are open before anything is swapped.

use crate::model::{Listen, TlsSettings};
use crate::transport::http::{BindError, LocalAddr, Move, Mover};
use tokio::runtime::Handle;

/// What moves the listener; nothing on stdio.
#[derive(Debug)]
pub(super) struct Doors(Option<Mover>);

impl Doors {
    pub(super) fn new(mover: Option<Mover>) -> Self {
        Self(mover)
    }

    /// Opens the addresses that are not open yet. Blocks.
    ///
    /// # Errors
    /// [`BindError`]: the listener stays where it is.
    pub(super) fn open(&self, listen: &[Listen]) -> Result<Option<Move>, BindError> {
        match &self.0 {
            Some(mover) => Handle::current().block_on(mover.prepare(listen)),
            None => Ok(None),
        }
    }

    /// Shows this certificate from now on.
    pub(super) fn exchange(&self, tls: Option<&TlsSettings>) {
        if let Some(mover) = &self.0 {
            mover.exchange(tls);
        }
    }

    /// Takes them into use, and closes those that are not wanted any more. Blocks.
    pub(super) fn enter(&mut self, opened: Option<Move>) {
        let (Some(mover), Some(opened)) = (&mut self.0, opened) else {
            return;
        };
        let new: Vec<String> = opened.local_addrs().iter().map(shown).collect();
        Handle::current().block_on(mover.make(opened));
        tracing::info!(
            new = new.join(", "),
            "the listener has moved; connections stay"
        );
    }
}

fn shown(address: &LocalAddr) -> String {
    match address {
        LocalAddr::Tcp(address) => format!("http://{address}"),
        LocalAddr::Unix(path) => format!("unix:{}", path.display()),
    }
}
