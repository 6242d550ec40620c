//! Files that programs obey without being asked, told by their names: settings that name programs
//! to be run, hooks, tasks, and what shells read when they start.
//!
//! Whoever writes such a file has something run later, by another program, outside of every
//! sandbox. What a person runs by name is ordinary work and not meant: `Makefile`, scripts of
//! `package.json`, `build.rs`, `conftest.py`, workflows of GitHub, settings of linters that are
//! programs themselves.

use std::path::Path;

use icu_normalizer::ComposingNormalizerBorrowed;

use crate::sensitive::is_version_control;

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
            Self::Foveal => "foveal obeys what it says",
            Self::Patterns => {
                "programs take its name for an option where a pattern such as `*` gives it to them"
            }
        }
    }
}

use ObeyedBy::{Agents, Editors, Foveal, Hooks, Patterns, Startup, VersionControl};

/// Names, wherever they stand.
const NAMES: &[(&str, ObeyedBy)] = &[
    (".mcp.json", Agents),
    ("mcp_config.json", Agents),
    ("mcp_settings.json", Agents),
    ("cline_mcp_settings.json", Agents),
    ("opencode.json", Agents),
    ("opencode.jsonc", Agents),
    (".foveal.toml", Foveal),
    (".foveal.json", Foveal),
    ("crush.json", Agents),
    (".crush.json", Agents),
    (".aider.conf.yml", Agents),
    (".devcontainer.json", Editors),
    (".gitpod.yml", Editors),
    (".replit", Editors),
    (".exrc", Editors),
    (".vimrc", Editors),
    (".gvimrc", Editors),
    (".nvimrc", Editors),
    (".nvim.lua", Editors),
    (".lvimrc", Editors),
    (".dir-locals.el", Editors),
    (".dir-locals-2.el", Editors),
    (".emacs", Editors),
    (".gitconfig", VersionControl),
    (".pre-commit-config.yaml", Hooks),
    (".pre-commit-config.yml", Hooks),
    (".overcommit.yml", Hooks),
    (".pnpmfile.cjs", Hooks),
    (".pnpmfile.mjs", Hooks),
    (".npmrc", Hooks),
    (".yarnrc", Hooks),
    (".yarnrc.yml", Hooks),
    (".envrc", Hooks),
    ("mise.toml", Hooks),
    (".mise.toml", Hooks),
    ("mise.local.toml", Hooks),
    (".mise.local.toml", Hooks),
    ("gradle-wrapper.properties", Hooks),
    ("maven-wrapper.properties", Hooks),
    ("sitecustomize.py", Startup),
    ("usercustomize.py", Startup),
    (".rprofile", Startup),
    (".ghci", Startup),
    (".iex.exs", Startup),
    (".irbrc", Startup),
    (".pryrc", Startup),
    (".pdbrc", Startup),
    (".gdbinit", Startup),
    (".lldbinit", Startup),
    (".inputrc", Startup),
    (".tmux.conf", Startup),
    (".profile", Startup),
    (".bashrc", Startup),
    (".bash_profile", Startup),
    (".bash_login", Startup),
    (".bash_logout", Startup),
    (".bash_aliases", Startup),
    (".zshrc", Startup),
    (".zshenv", Startup),
    (".zprofile", Startup),
    (".zlogin", Startup),
    (".zlogout", Startup),
    (".p10k.zsh", Startup),
    (".kshrc", Startup),
    (".cshrc", Startup),
    (".tcshrc", Startup),
    (".login", Startup),
    (".xprofile", Startup),
    (".xinitrc", Startup),
    (".xsession", Startup),
    (".xsessionrc", Startup),
];

/// Beginnings of names, whatever their ending is.
const STEMS: &[(&str, ObeyedBy)] = &[
    ("lefthook.", Hooks),
    (".lefthook.", Hooks),
    ("lefthook-local.", Hooks),
    (".lefthook-local.", Hooks),
];

/// Endings of names.
const ENDINGS: &[(&str, ObeyedBy)] = &[(".code-workspace", Editors)];

/// Folders of packages of Python, where each start reads all files of this ending. Elsewhere such
/// files hold models.
const SITES: (&[&str], &str) = (&["dist-packages", "site-packages"], ".pth");

/// Folders all of whose files are obeyed, at any depth.
const FOLDERS: &[(&str, ObeyedBy)] = &[
    (".claude", Agents),
    (".codex", Agents),
    (".cursor", Agents),
    (".gemini", Agents),
    (".qwen", Agents),
    (".opencode", Agents),
    (".continue", Agents),
    (".cline", Agents),
    (".roo", Agents),
    (".pi", Agents),
    (".kiro", Agents),
    (".windsurf", Agents),
    (".amp", Agents),
    (".amazonq", Agents),
    (".factory", Agents),
    (".augment", Agents),
    (".junie", Agents),
    (".trae", Agents),
    (".goose", Agents),
    (".agents", Agents),
    (".crush", Agents),
    (".vscode", Editors),
    (".vscode-server", Editors),
    (".idea", Editors),
    (".zed", Editors),
    (".helix", Editors),
    (".fleet", Editors),
    (".nova", Editors),
    (".vs", Editors),
    (".vim", Editors),
    (".nvim", Editors),
    (".emacs.d", Editors),
    (".devcontainer", Editors),
    (".husky", Hooks),
    (".githooks", Hooks),
    (".git-hooks", Hooks),
    (".hooks", Hooks),
    (".lefthook", Hooks),
    (".trunk", Hooks),
    (".mvn", Hooks),
    (".ipython", Startup),
    (".jupyter", Startup),
    (".oh-my-zsh", Startup),
];

/// Files and folders by the folders that they are in, the last of which is named first here.
const PLACES: &[(&[&str], ObeyedBy)] = &[
    (&[".github", "hooks"], Agents),
    (&[".clinerules", "hooks"], Agents),
    (&[".config", "git"], VersionControl),
    (&[".config", "opencode"], Agents),
    (&[".config", "crush"], Agents),
    (&[".config", "zed"], Editors),
    (&[".config", "nvim"], Editors),
    (&[".config", "helix"], Editors),
    (&[".config", "code"], Editors),
    (&[".config", "mise"], Hooks),
    (&[".config", "mise.toml"], Hooks),
    (&[".mise", "config.toml"], Hooks),
    (&[".cargo", "config"], Hooks),
    (&[".cargo", "config.toml"], Hooks),
    (&[".cargo", "bin"], Startup),
    (&[".cargo", "env"], Startup),
    (&[".local", "bin"], Startup),
    (&[".yarn", "releases"], Hooks),
    (&[".yarn", "plugins"], Hooks),
    (&[".bundle", "config"], Hooks),
    (&[".gradle", "init.d"], Hooks),
    (&[".gradle", "init.gradle"], Hooks),
    (&[".gradle", "gradle.properties"], Hooks),
    (&[".m2", "settings.xml"], Hooks),
    (&[".config", "fish"], Startup),
    (&[".config", "autostart"], Startup),
    (&[".config", "systemd"], Startup),
    (&["library", "launchagents"], Startup),
    (&[".config", "foveal"], Foveal),
    (&["foveal", "config.toml"], Foveal),
    (&["foveal", "config.json"], Foveal),
    (&[".local", "share", "foveal"], Foveal),
    (&["application support", "foveal"], Foveal),
];

/// What of the folders of agents is notes and worktrees, which nobody obeys but the model that
/// reads them.
const NOTES: &[(&str, &str)] = &[
    (".claude", "claude.md"),
    (".claude", "claude.local.md"),
    (".claude", "plans"),
    (".claude", "rules"),
    (".claude", "worktrees"),
    (".cursor", "rules"),
    (".cursor", "worktrees"),
    (".gemini", "gemini.md"),
    (".qwen", "qwen.md"),
    (".windsurf", "rules"),
    (".kiro", "specs"),
    (".kiro", "steering"),
    (".roo", "rules"),
    (".codex", "worktrees"),
];

/// Who obeys the file at `path` unasked, by its name and folders. Names that a file system may
/// take for the same count as the same: case, the form of letters, characters that have no width,
/// dots and blanks at the end.
pub fn obeyed_by(path: &Path) -> Option<ObeyedBy> {
    let parts: Vec<String> = path.iter().map(|part| folded(&part.to_string_lossy())).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    if is_version_control(&parts.iter().collect::<std::path::PathBuf>()) {
        return Some(VersionControl);
    }
    let name = parts.last()?;
    let folder = parts.len().checked_sub(2).map(|at| parts[at]);
    if name.ends_with(SITES.1) && folder.is_some_and(|folder| SITES.0.contains(&folder)) {
        return Some(Startup);
    }
    let is_option = || parts.iter().any(|part| part.len() > 1 && part.starts_with('-'));
    let by_pattern = || is_option().then_some(Patterns);
    of_name(name).or_else(|| of_places(&parts)).or_else(|| of_folders(&parts)).or_else(by_pattern)
}

/// Whether a folder of this name may hold such files, or folders with them.
pub(crate) fn may_hold(name: &str) -> bool {
    let name = &*folded(name);
    FOLDERS.iter().any(|(folder, _)| name == *folder)
        || PLACES.iter().any(|(place, _)| place.first() == Some(&name))
}

fn of_name(name: &str) -> Option<ObeyedBy> {
    let whole = NAMES.iter().find(|(whole, _)| name == *whole);
    let stem = || STEMS.iter().find(|(stem, _)| name.starts_with(stem));
    let ending = || ENDINGS.iter().find(|(ending, _)| name.ends_with(ending));
    whole.or_else(stem).or_else(ending).map(|(_, by)| *by)
}

fn of_places(parts: &[&str]) -> Option<ObeyedBy> {
    let holds = |place: &[&str]| parts.windows(place.len()).any(|found| found == place);
    PLACES.iter().find(|(place, _)| holds(place)).map(|(_, by)| *by)
}

fn of_folders(parts: &[&str]) -> Option<ObeyedBy> {
    let mut found = None;
    for (at, part) in parts.iter().enumerate() {
        let next = parts.get(at + 1);
        if NOTES.iter().any(|(folder, note)| part == folder && next == Some(note)) {
            // What is below is a tree of its own.
            found = None;
            continue;
        }
        let folder = FOLDERS.iter().find(|(folder, _)| part == folder);
        // Some of these agents also keep a single file of that name.
        found = found.or(folder.map(|(_, by)| *by));
    }
    found
}

/// What all names share that some file system takes for `name`.
fn folded(name: &str) -> String {
    let is_shown = |letter: &char| {
        !matches!(letter, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    let shown: String = name.chars().filter(is_shown).collect();
    let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(&shown);
    let lower = composed.to_lowercase();
    let name = match lower.split_once(':') {
        // A stream of a file, where there are such.
        Some((name, _)) if !name.is_empty() => name,
        _ => &lower,
    };
    let trimmed = name.trim_end_matches(['.', ' ']);
    // A name of dots alone is a way, not a name.
    if trimmed.is_empty() { name.to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests;
