//! The permissions that the user granted.

use std::collections::BTreeSet;

use foveal_store::Grant;

use super::access::Access;

/// The permissions that the user granted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grants(BTreeSet<Grant>);

impl Grants {
    /// Returns whether the user granted this access before.
    pub(crate) fn covers(&self, access: &Access<'_>) -> bool {
        self.0.contains(&access.wider_grant())
    }

    /// Stores a grant.
    pub(crate) fn add(&mut self, grant: Grant) {
        self.0.insert(grant);
    }
}

impl FromIterator<Grant> for Grants {
    fn from_iter<I: IntoIterator<Item = Grant>>(grants: I) -> Self {
        Self(grants.into_iter().collect())
    }
}
