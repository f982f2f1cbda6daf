//! Listening elsewhere while serving: new addresses are opened first, and only when all are open do
//! the ones that are no longer wanted close. Connections stay, whichever door they came in by.

use super::bind::{BindError, Listener, LocalAddr};
use super::passed::Passed;
use super::tls::Certificate;
use crate::model::{HttpSettings, Listen, TlsSettings};
use tokio::sync::mpsc;

/// Changes where a listener listens. The listener's other settings stay what they were.
#[derive(Debug)]
pub struct Mover {
    settings: HttpSettings,
    passed: Passed,
    certificate: Option<Certificate>,
    moves: mpsc::Sender<Move>,
}

/// New sockets that listen already, and the places that are wanted from now on. Dropping it closes
/// the new sockets.
#[derive(Debug)]
pub struct Move {
    pub(super) new: Option<Listener>,
    pub(super) wanted: Vec<Listen>,
}

impl Mover {
    /// Shows another certificate to those who connect from now on. A listener that began without one
    /// goes on without.
    pub fn exchange(&self, tls: Option<&TlsSettings>) {
        if let (Some(certificate), Some(tls)) = (&self.certificate, tls) {
            certificate.exchange(tls);
        }
    }

    /// Opens the places that are not open yet. `None` when it is to listen where it does.
    ///
    /// # Errors
    /// [`BindError`]; nothing has changed then. A place that overlaps with one that is open
    /// (`0.0.0.0:80` with `127.0.0.1:80`) is in use.
    pub async fn prepare(&self, wanted: &[Listen]) -> Result<Option<Move>, BindError> {
        if wanted == self.settings.listen {
            return Ok(None);
        }
        let known = &self.settings.listen;
        let added = wanted.iter().filter(|place| !known.contains(place));
        let settings = HttpSettings {
            listen: added.cloned().collect(),
            ..self.settings.clone()
        };
        let new = match settings.listen.is_empty() {
            true => None,
            false => Some(Listener::bind_with(&settings, self.passed.clone()).await?),
        };
        Ok(Some(Move {
            new,
            wanted: wanted.to_vec(),
        }))
    }

    /// Takes the new sockets into use and closes those that are not wanted. Waits only while the
    /// move before has not been made, and not at all once the listener has ended.
    pub async fn make(&mut self, made: Move) {
        self.settings.listen.clone_from(&made.wanted);
        // The listener has ended: there is nothing to move.
        let _ended = self.moves.send(made).await;
    }
}

impl Move {
    /// Where the new sockets are bound.
    pub fn local_addrs(&self) -> &[LocalAddr] {
        self.new.as_ref().map_or(&[], Listener::local_addrs)
    }
}

impl Listener {
    /// The way to move this listener while it serves.
    pub fn mover(&mut self) -> Mover {
        let (moves, moved) = mpsc::channel(1);
        self.moved = Some(moved);
        Mover {
            settings: self.settings.clone(),
            passed: self.passed.clone(),
            certificate: self.certificate.clone(),
            moves,
        }
    }
}
