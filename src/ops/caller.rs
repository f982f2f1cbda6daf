//! Who asks.

use std::sync::Arc;
use std::time::SystemTime;
use tokio_util::sync::CancellationToken;

/// Who sent a request, as far as the server knows for sure. The default is somebody without a name
/// and without scopes. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct Caller(Option<Arc<Identity>>);

/// What is known of a caller that has shown who it is.
#[derive(Debug)]
struct Identity {
    principal: String,
    /// In byte order, each once, with all that they imply.
    scopes: Vec<String>,
    expires: Option<SystemTime>,
    revoked: CancellationToken,
}

impl Caller {
    /// Somebody who has shown nothing.
    pub const NOBODY: Self = Self(None);

    /// A caller of this name with these scopes, which must stand in byte order, each once. What it
    /// has shown is good until `expires` and until `revoked` is cancelled.
    pub fn known(
        principal: impl Into<String>,
        scopes: Vec<String>,
        expires: Option<SystemTime>,
        revoked: CancellationToken,
    ) -> Self {
        Self(Some(Arc::new(Identity {
            principal: principal.into(),
            scopes,
            expires,
            revoked,
        })))
    }

    /// Its name; `None` when it has not shown who it is.
    pub fn principal(&self) -> Option<&str> {
        self.0.as_deref().map(|identity| &*identity.principal)
    }

    /// Its scopes, in byte order, with all that they imply.
    pub fn scopes(&self) -> &[String] {
        self.0.as_deref().map_or(&[], |identity| &identity.scopes)
    }

    /// Whether it has all of these scopes.
    pub fn has(&self, scopes: &[String]) -> bool {
        let held = self.scopes();
        scopes.iter().all(|scope| held.binary_search(scope).is_ok())
    }

    /// Returns once what the caller has shown is no longer good; never, if it has shown nothing.
    pub async fn over(&self) {
        let Some(identity) = self.0.as_deref() else {
            return std::future::pending().await;
        };
        let expired = async {
            let Some(expires) = identity.expires else {
                return std::future::pending().await;
            };
            // A clock that is set is met by looking at it again.
            while let Ok(left) = expires.duration_since(SystemTime::now()) {
                tokio::time::sleep(left.min(CLOCK)).await;
            }
        };
        tokio::select! {
            () = identity.revoked.cancelled() => {}
            () = expired => {}
        }
    }
}

/// How often the clock is looked at while an expiry is waited for.
const CLOCK: std::time::Duration = std::time::Duration::from_secs(30);

impl PartialEq for Caller {
    /// The same name and the same scopes.
    fn eq(&self, other: &Self) -> bool {
        self.principal() == other.principal() && self.scopes() == other.scopes()
    }
}
