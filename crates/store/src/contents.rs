//! Content of a [`Store`] as what is borrowed: a `ContentStore` over it.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fmt;

use foveal_transcript::Timestamp;
use foveal_transcript::{ContentError, ContentStore, Handle};

use crate::error::StoreError;
use crate::records::SessionId;
use crate::store::Store;

/// The texts of a store, each loaded when it is first asked for and held from then on. Made
/// for one piece of work, such as a request: what others put later it does not know.
pub struct Contents<'s> {
    store: &'s dyn Store,
    session: Option<SessionId>,
    now: Timestamp,
    texts: HashMap<Handle, OnceCell<Option<String>>>,
    failures: Vec<StoreError>,
}

impl<'s> Contents<'s> {
    /// All that `store` holds. What is put is for `session`, at `now`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn of(
        store: &'s dyn Store,
        session: Option<SessionId>,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let texts = store.handles()?.into_iter().map(|handle| (handle, OnceCell::new())).collect();
        Ok(Self { store, session, now, texts, failures: Vec::new() })
    }

    /// Why what was put is here but not in the store, if there is something.
    pub fn take_failures(&mut self) -> Vec<StoreError> {
        std::mem::take(&mut self.failures)
    }
}

impl ContentStore for Contents<'_> {
    /// What the store refuses for another reason than a collision is held here all the same:
    /// [`Contents::take_failures`].
    fn put(&mut self, content: &str) -> Result<Handle, ContentError> {
        let handle = Handle::of(content.as_bytes());
        let held = self.texts.get(&handle).and_then(OnceCell::get).and_then(Option::as_ref);
        match self.store.put(self.session.as_ref(), content.as_bytes(), self.now) {
            Ok(_) => {}
            Err(StoreError::Collision(error)) => return Err(error),
            Err(_) if held.is_some_and(|held| held != content) => {
                return Err(ContentError::Collision { handle });
            }
            Err(error) => self.failures.push(error),
        }
        // The original: what the store holds of it may lack secrets.
        self.texts.insert(handle, OnceCell::from(Some(content.to_owned())));
        Ok(handle)
    }

    fn resolve(&self, handle: Handle) -> Option<&str> {
        let load = || {
            let content = self.store.get(handle).ok().flatten()?;
            String::from_utf8(content.bytes).ok()
        };
        self.texts.get(&handle)?.get_or_init(load).as_deref()
    }
}

impl fmt::Debug for Contents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session, texts, .. } = self;
        f.debug_struct("Contents").field("session", session).field("texts", &texts.len()).finish()
    }
}
