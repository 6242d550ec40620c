//! What the person granted.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::access::Access;

/// What the person granted: tool and subject, word for word.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grants(BTreeSet<(String, String)>);

impl Grants {
    /// Whether this was granted before.
    pub fn hold(&self, access: &Access<'_>) -> bool {
        self.0.contains(&(access.tool.to_owned(), access.subject.to_owned()))
    }

    /// Remembers a grant.
    pub fn add(&mut self, access: &Access<'_>) {
        self.0.insert((access.tool.to_owned(), access.subject.to_owned()));
    }
}
