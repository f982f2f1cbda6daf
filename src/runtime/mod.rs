//! The immutable runtime built from a model.

mod handle;

pub use handle::Handle;

use crate::ops::{Answer, Context, OpError, Operation};
use crate::protocol::Face;

/// Everything a request needs, built from one set of manifests and never changed. No interior
/// mutability: a reload builds another and swaps.
#[derive(Debug)]
pub struct Runtime {
    face: Face,
}

impl Runtime {
    /// What the dialects need to know of the server to write an answer.
    pub fn face(&self) -> &Face {
        &self.face
    }

    /// Carries out one operation.
    ///
    /// # Errors
    /// A protocol error; a tool's own failure is an [`Answer::Tool`] with `is_error`.
    pub async fn execute(&self, operation: Operation, context: &Context) -> Result<Answer, OpError> {
        let _ = (operation, context);
        Err(OpError::Internal("not built".into()))
    }
}
