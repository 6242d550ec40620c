//! The table of profiles, by name.

use crate::planner::Planner;
use crate::policies::{
    Policy, PolicyProjector, clear_tool_uses, content_reset, first_last_sampled, last_results,
    latest_read, opencode_prune, output_cap, read_once,
};
use crate::prices::PriceCard;
use crate::projector::Projector;
use crate::settings::Settings;

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
    create_projector: fn(&PriceCard) -> Projector,
}

impl Profile {
    /// Creates a projector for one conversation. Views of reads need
    /// [`Projector::with_view_source`].
    pub fn new_projector(&self, prices: &PriceCard) -> Projector {
        (self.create_projector)(prices)
    }

    /// Returns the profile called `name`.
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

/// The recorded prompts, for comparison; no profile that a user can choose.
pub static RAW: Profile = Profile {
    name: "raw",
    about: "the prompts as they were recorded",
    origin: ProfileOrigin::Baseline,
    create_projector: |_| policy_projector(|_| Vec::new()),
};

/// All profiles: foveal's own, then those of the design documents, then those of other tools.
pub static PROFILES: &[Profile] = &[
    Profile {
        name: "lossless",
        about: "everything visible stays visible somewhere in the prompt",
        origin: ProfileOrigin::Own,
        create_projector: |prices| engine_projector(Settings::lossless(), prices),
    },
    Profile {
        name: "balanced",
        about: "long output excerpted, what is no longer needed reduced in rare batches",
        origin: ProfileOrigin::Own,
        create_projector: |prices| engine_projector(Settings::balanced(), prices),
    },
    Profile {
        name: "max",
        about: "as balanced, sooner and further",
        origin: ProfileOrigin::Own,
        create_projector: |prices| engine_projector(Settings::max(), prices),
    },
    Profile {
        name: "curated",
        about: "as balanced, and of long files only what matters when they are first read",
        origin: ProfileOrigin::Own,
        create_projector: |prices| engine_projector(Settings::curated(), prices),
    },
    Profile {
        name: "read-once",
        about: "re-reads of a file that was not written since become a note",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(read_once::decide),
    },
    Profile {
        name: "first-last-sampled",
        about: "by a table: of a file's reads the first, the last and samples",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(first_last_sampled::decide_by_table),
    },
    Profile {
        name: "first-last-sampled-max5",
        about: "by a limit: at most five full reads of a file",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(first_last_sampled::decide_by_code),
    },
    Profile {
        name: "content-reset",
        about: "contents of read files leave at 100,000 tokens, down to 50,000",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(content_reset::decide),
    },
    Profile {
        name: "keep-last-30",
        about: "all but the last 30 results dropped",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(|view| last_results::drop_old_results(view, 30)),
    },
    Profile {
        name: "mask-10",
        about: "all but the last 10 results masked, as SWE-agent does",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(|view| last_results::mask_old_results(view, 10)),
    },
    Profile {
        name: "clear-100k",
        about: "Anthropic's clear_tool_uses: all but 3 results cleared at 100,000 tokens",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(clear_tool_uses::decide),
    },
    Profile {
        name: "opencode-prune",
        about: "opencode's prune: old output beyond 40,000 tokens cleared between turns",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(opencode_prune::decide),
    },
    Profile {
        name: "cline-latest-read",
        about: "Cline's extension: only the latest read of a file stays at 160,000 tokens",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(latest_read::decide_like_extension),
    },
    Profile {
        name: "cline-sdk-latest-read",
        about: "Cline's SDK: superseded reads leave in batches of 64 KiB",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(latest_read::decide_like_sdk),
    },
    Profile {
        name: "cap-4k",
        about: "runs, searches and lists cut to 4,000 characters on arrival",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| policy_projector(output_cap::decide),
    },
];

fn engine_projector(settings: Settings, prices: &PriceCard) -> Projector {
    Projector::Engine(Box::new(Planner::new(settings, prices.clone())))
}

fn policy_projector(policy: Policy) -> Projector {
    Projector::Policy(PolicyProjector::new(policy))
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
