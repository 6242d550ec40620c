//! Who obeys a file, and what that means.

/// Who obeys a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObeyedBy {
    /// Version control: its own folder, with hooks, filters and aliases.
    VersionControl,
    /// Agents like the one that writes it: settings, servers, hooks, commands.
    Agents,
    /// Editors: tasks, settings that name programs, containers.
    Editors,
    /// What runs at a commit, an installation, or before a build.
    Hooks,
    /// Shells, interpreters and debuggers, when they start in the folder or at all.
    Startup,
    /// Those that choose versions, in files that should hold one and hold something else: a path
    /// in its place is run.
    Versions,
    /// foveal: its own settings and data.
    Foveal,
    /// Whatever is given all names of a folder (`tar cf a *`): it takes this one for an option, and
    /// some options name a program.
    Patterns,
}

impl ObeyedBy {
    /// What that means, for a question.
    pub fn why(self) -> &'static str {
        match self {
            Self::VersionControl => "version control obeys what it says, and runs its hooks",
            Self::Agents => "agents obey what it says, and run what it names",
            Self::Editors => "editors obey what it says, and may run what it names",
            Self::Hooks => {
                "other programs run what it says at a commit, an installation or a build"
            }
            Self::Startup => "shells or interpreters run what it says when they start",
            Self::Versions => {
                "it should hold a version and holds something else; where that is the path of a \
                 program, others run it"
            }
            Self::Foveal => "foveal obeys what it says",
            Self::Patterns => {
                "programs take its name for an option where a pattern such as `*` gives it to them"
            }
        }
    }
}
