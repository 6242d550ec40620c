//! The table of profiles, by name.

use crate::planner::Planner;
use crate::projector::Projector;
use crate::settings::Settings;
use foveal_pricing::prices::PriceCard;

/// The origin of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub enum ProfileOrigin {
    /// A profile of foveal.
    Own,
    /// The rule of another tool or of a design document, for comparison.
    Baseline,
}

/// A named way to decide what the model sees.
#[derive(Clone, Copy)]
pub struct Profile {
    /// Its name on the command line.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// Its origin.
    pub origin: ProfileOrigin,
    /// Creates a projector for one conversation.
    pub create_projector: fn(&PriceCard) -> Projector,
}

impl Profile {
    /// Creates a projector for one conversation. Views of reads need
    /// [`Projector::with_view_source`].
    pub fn new_projector(&self, prices: &PriceCard) -> Projector {
        (self.create_projector)(prices)
    }

    /// Returns foveal's own profile called `name`.
    pub fn find(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name == name)
    }
}

impl std::fmt::Debug for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Profile({})", self.name)
    }
}

/// The profile used if none is named.
pub const DEFAULT_PROFILE: &str = "balanced";

/// foveal's own profiles.
pub static PROFILES: &[Profile] = &[
    Profile {
        name: "lossless",
        about: "omits only content that appears elsewhere in the prompt",
        origin: ProfileOrigin::Own,
        create_projector: |prices| engine_projector(Settings::lossless(), prices),
    },
    Profile {
        name: "balanced",
        about: "shortens long output at once and old results in rare batches",
        origin: ProfileOrigin::Own,
        create_projector: |prices| engine_projector(Settings::balanced(), prices),
    },
    Profile {
        name: "max",
        about: "like balanced, but shortens sooner and more",
        origin: ProfileOrigin::Own,
        create_projector: |prices| engine_projector(Settings::max(), prices),
    },
    Profile {
        name: "curated",
        about: "like balanced, and shows only relevant parts of long files at their first read",
        origin: ProfileOrigin::Own,
        create_projector: |prices| engine_projector(Settings::curated(), prices),
    },
];

fn engine_projector(settings: Settings, prices: &PriceCard) -> Projector {
    Projector::Engine(Box::new(Planner::new(settings, prices.clone())))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_profile_is_found_by_its_own_name() {
        let names: HashSet<_> = PROFILES.iter().map(|profile| profile.name).collect();
        assert_eq!(names.len(), PROFILES.len());
        for profile in PROFILES {
            assert!(Profile::find(profile.name).is_some_and(|found| found.about == profile.about));
        }
        assert!(
            Profile::find(DEFAULT_PROFILE)
                .is_some_and(|profile| profile.origin == ProfileOrigin::Own)
        );
        assert!(Profile::find("no such profile").is_none());
    }
}
