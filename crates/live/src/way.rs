//! How a model gets back what is left out.

/// How notes say what gives back what they stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// By the tool `expand`, with a handle.
    #[default]
    Expand,
    /// By foveal's own command in a shell, with a handle.
    Command,
    /// By the tool that a gateway put into the request, with a handle.
    Offered,
    /// By the result's hash, in its long spelling, for a tool of somebody else's.
    Hash,
}
