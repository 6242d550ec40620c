//! Ids of unanswered requests. Two equal ids in one session would make their answers ambiguous.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::RequestId;

/// A session id and a request id in it.
type SessionRequestId = (Box<str>, RequestId);

/// The ids of a server's unanswered requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestIdRegistry(Arc<Mutex<HashSet<SessionRequestId>>>);

/// A request id in use, until this is dropped.
#[derive(Debug)]
pub(crate) struct RequestIdClaim {
    key: SessionRequestId,
    claims: RequestIdRegistry,
}

impl RequestIdRegistry {
    /// Claims an id; `None` if it is in use.
    pub(crate) fn claim(&self, session: &str, id: RequestId) -> Option<RequestIdClaim> {
        let key = (session.into(), id);
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        is_new.then(|| RequestIdClaim { key, claims: self.clone() })
    }

    /// Returns whether a session has unanswered requests.
    pub(crate) fn has_unanswered_requests(&self, session: &str) -> bool {
        let claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        claims.iter().any(|(of, _)| **of == *session)
    }
}

impl Drop for RequestIdClaim {
    fn drop(&mut self) {
        self.claims.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}
