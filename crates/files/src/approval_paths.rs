//! Files that other programs run or obey without being asked. A change of them needs a person's
//! approval: it has something run later, outside of every sandbox.

use std::path::Path;
use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use self::ApprovalReason::{Agents, Editors, Foveal, Hooks, Options, Startup, VersionControl};
use self::spelling::folded;
use crate::sensitive::is_version_control;

/// The paths, at any depth. What a person runs by name is ordinary work and not here: `Makefile`,
/// scripts of `package.json`, `build.rs`.
#[rustfmt::skip]
const PATHS: &[(ApprovalReason, &[&str])] = &[
    // With all that `is_version_control` knows: `.git`, `.hg`, `.jj` and their like.
    (VersionControl, &[".gitconfig", ".config/git/**", ".hgrc"]),
    (Agents, &[
        ".mcp.json", ".claude.json", "opencode.json", "opencode.jsonc", ".clinerules/hooks/**",
        ".github/hooks/**",
        ".{claude,codex,cursor,gemini,qwen,opencode,continue,cline,roo,kilocode,kiro,windsurf,pi,amp,agents}/**",
        ".{copilot,crush,factory,junie,openhands}/**", ".config/{opencode,crush}/**",
    ]),
    (Editors, &[
        ".{vscode,idea,zed,helix,nvim,vim,vs,fleet,devcontainer,bsp}/**", ".devcontainer.json",
        "*.code-workspace",
        ".{exrc,vimrc,nvimrc,nvim.lua,dir-locals.el,emacs}", ".config/{nvim,zed,helix,emacs}/**",
    ]),
    (Hooks, &[
        ".{husky,githooks,hooks,lefthook,mvn,mise}/**", ".pre-commit-config.{yaml,yml}",
        "{,.}lefthook{,-local}.*",
        ".{huskyrc,lintstagedrc}*", "lint-staged.config.*", "{,.}simple-git-hooks.*",
        ".npmrc", ".yarnrc{,.yml}", ".pnpmfile.*", ".yarn/{releases,plugins,sdks}/**", ".envrc",
        "{,.}mise.toml",
        ".tool-versions", "rust-toolchain{,.toml}", ".cargo/config{,.toml}", "pip.conf",
        "*.bazelrc",
        "gradlew{,.bat}", "mvnw{,.cmd}", "{gradle,maven}-wrapper.{jar,properties}",
        ".gradle/init.*",
    ]),
    (Startup, &[
        ".{profile,bashrc,bash_profile,bash_login,bash_logout,bash_aliases,zshrc,zshenv,zprofile,zlogin,zlogout}",
        ".{inputrc,tmux.conf,xprofile,xinitrc,xsession,gdbinit,irbrc,pryrc,pdbrc,ghci,iex.exs,rprofile,rdata}",
        ".lldbinit*", "{site,user}customize.py", "{site,dist}-packages/*.pth", "bunfig.toml",
        ".pnp.*",
        ".ssh/**", ".{local,cargo}/bin/**", ".config/{fish,systemd,autostart,environment.d}/**",
    ]),
    (Foveal, &[
        ".foveal.{toml,json}", "foveal/config.{toml,json}", ".config/foveal/**",
        ".local/share/foveal/**",
    ]),
    // Whatever is given `*` takes them for options (`tar cf a *`).
    (Options, &["-?*", "-?*/**"]),
];

/// Folders of agents in which whole working copies stand.
const WORKTREES: [&str; 3] = [".claude", ".codex", ".cursor"];

/// Who runs or obeys a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalReason {
    /// Version control: its own folder, with hooks, filters and aliases.
    VersionControl,
    /// Agents like the one that writes it: settings, servers, hooks, commands.
    Agents,
    /// Editors: tasks, settings that name programs, containers.
    Editors,
    /// What runs at a commit, a push or an installation, or before a build.
    Hooks,
    /// Shells, interpreters and debuggers, when they start.
    Startup,
    /// foveal: its own settings and data.
    Foveal,
    /// Programs that take the name for an option.
    Options,
}

impl ApprovalReason {
    /// Returns what that means, for a question.
    pub fn why(self) -> &'static str {
        match self {
            Self::VersionControl => "version control obeys what it says, and runs its hooks",
            Self::Agents => "agents obey what it says, and run what it names",
            Self::Editors => "editors obey what it says, and may run what it names",
            Self::Hooks => {
                "other programs run what it says at a commit, a push, an installation or a build"
            }
            Self::Startup => "shells or interpreters run what it says when they start",
            Self::Foveal => "foveal obeys what it says",
            Self::Options => {
                "programs take its name for an option where a pattern such as `*` gives it to them"
            }
        }
    }
}

/// Returns why a change of the file at `path`, by its name and folders, needs approval. Spellings
/// that a file system may take for the same count as the same.
pub fn approval_reason(path: &Path) -> Option<ApprovalReason> {
    let parts: Vec<String> = path.iter().map(|part| folded(&part.to_string_lossy())).collect();
    if is_version_control(Path::new(&parts.join("/"))) {
        return Some(VersionControl);
    }
    // What stands in a working copy is looked at by its place in that.
    let is_worktrees = |pair: &[String]| WORKTREES.contains(&&*pair[0]) && pair[1] == "worktrees";
    let start = parts.windows(2).rposition(is_worktrees).map_or(0, |at| at + 2);
    let (globs, reasons) = &*GLOBS;
    globs.matches(parts[start..].join("/")).first().map(|at| reasons[*at])
}

/// All paths as one set, with the reason of each.
static GLOBS: LazyLock<(GlobSet, Vec<ApprovalReason>)> = LazyLock::new(|| {
    let mut globs = GlobSetBuilder::new();
    let mut reasons = Vec::new();
    for (reason, paths) in PATHS {
        for path in *paths {
            let glob = format!("**/{path}");
            let mut glob = GlobBuilder::new(&glob);
            glob.literal_separator(true).empty_alternates(true);
            globs.add(glob.build().expect("the paths are globs"));
            reasons.push(*reason);
        }
    }
    (globs.build().expect("so few globs fit"), reasons)
});

mod spelling;
#[cfg(test)]
mod tests;
