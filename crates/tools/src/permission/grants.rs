//! What the person granted.

use std::collections::BTreeSet;

use foveal_store::Grant;

use super::access::Access;

/// What the person granted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grants(BTreeSet<Grant>);

impl Grants {
    /// Whether this was granted before.
    pub(crate) fn hold(&self, access: &Access<'_>) -> bool {
        self.0.contains(&access.grant())
    }

    /// Remembers a grant.
    pub(crate) fn add(&mut self, grant: Grant) {
        self.0.insert(grant);
    }
}

impl FromIterator<Grant> for Grants {
    fn from_iter<I: IntoIterator<Item = Grant>>(grants: I) -> Self {
        Self(grants.into_iter().collect())
    }
}
