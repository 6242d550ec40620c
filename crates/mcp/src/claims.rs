//! Ids of requests that are not answered yet. Of two equal ones in a session nobody could tell
//! which answer is whose.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::RequestId;

/// A session and an id in it.
type Key = (Box<str>, RequestId);

/// The ids of a server's requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Claims(Arc<Mutex<HashSet<Key>>>);

/// That an id is in use, until this is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    key: Key,
    claims: Claims,
}

impl Claims {
    /// Claims an id; `None` where it is in use.
    pub(crate) fn claim(&self, session: &str, id: RequestId) -> Option<Claim> {
        let key = (session.into(), id);
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        is_new.then(|| Claim { key, claims: self.clone() })
    }

    /// Whether a session has requests that are not answered yet.
    pub(crate) fn is_busy(&self, session: &str) -> bool {
        let claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        claims.iter().any(|(of, _)| **of == *session)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.claims.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}
