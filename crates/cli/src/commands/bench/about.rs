//! What the figures are of, for tables and pages.

/// What the figures are of.
#[derive(Debug, Clone, Copy)]
pub(super) struct About {
    /// The command, as a page's title.
    pub(super) command: &'static str,
    /// What the tables show.
    pub(super) title: &'static str,
    /// The seed, where cases were drawn.
    pub(super) seed: Option<u64>,
}
