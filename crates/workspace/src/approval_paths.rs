//! Files that other programs run or obey unasked. Changing one needs the user's approval, because
//! it makes a program run later, outside of every sandbox.

use std::path::Path;
use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use self::ApprovalReason::{Agents, Editors, Foveal, Hooks, Options, Startup, VersionControl};
use self::name_folding::fold_name;
use crate::sensitive_files::is_version_control;

/// The paths as globs, at any depth. Files that a user runs by name are ordinary work and not
/// listed: `Makefile`, scripts of `package.json`, `build.rs`.
#[rustfmt::skip]
const APPROVAL_GLOBS: &[(ApprovalReason, &[&str])] = &[
    // In addition to `is_version_control`: `.git`, `.hg`, `.jj` and the like.
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
    // Programs that get the expansion of `*` take these names for options (`tar cf a *`).
    (Options, &["-?*", "-?*/**"]),
];

/// Folders of agents that contain whole worktrees.
const WORKTREE_PARENTS: [&str; 3] = [".claude", ".codex", ".cursor"];

/// The kind of program that runs or obeys a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalReason {
    /// Version control: its own folder, with hooks, filters and aliases.
    VersionControl,
    /// Agents like the one that writes the file: settings, servers, hooks, commands.
    Agents,
    /// Editors: tasks, settings that name programs, containers.
    Editors,
    /// Hooks of commits, pushes, installations and builds.
    Hooks,
    /// Shells, interpreters and debuggers, at their start.
    Startup,
    /// foveal: its own settings and data.
    Foveal,
    /// Programs that take the name for an option.
    Options,
}

impl ApprovalReason {
    /// Returns the consequence of a change, for an approval question.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::VersionControl => "version control reads it and runs its hooks",
            Self::Agents => "agents follow it and run the commands in it",
            Self::Editors => "editors read it and may run the commands in it",
            Self::Hooks => {
                "other programs run its commands at a commit, a push, an installation or a build"
            }
            Self::Startup => "shells or interpreters run it when they start",
            Self::Foveal => "foveal reads its settings or data from it",
            Self::Options => {
                "programs read its name as an option if a pattern such as `*` expands to it"
            }
        }
    }
}

/// Returns why a change of the file at `path` needs approval, judged by its name and folders. All
/// spellings that some file system treats as equal count.
pub fn approval_reason(path: &Path) -> Option<ApprovalReason> {
    let parts: Vec<String> = path.iter().map(|part| fold_name(&part.to_string_lossy())).collect();
    if is_version_control(Path::new(&parts.join("/"))) {
        return Some(VersionControl);
    }
    // Files in a worktree are judged by their path in it.
    let is_worktrees =
        |pair: &[String]| WORKTREE_PARENTS.contains(&&*pair[0]) && pair[1] == "worktrees";
    let start = parts.windows(2).rposition(is_worktrees).map_or(0, |at| at + 2);
    let (globs, reasons) = &*COMPILED_GLOBS;
    globs.matches(parts[start..].join("/")).first().map(|at| reasons[*at])
}

/// All globs as one set, with the reason of each.
static COMPILED_GLOBS: LazyLock<(GlobSet, Vec<ApprovalReason>)> = LazyLock::new(|| {
    let mut globs = GlobSetBuilder::new();
    let mut reasons = Vec::new();
    for (reason, paths) in APPROVAL_GLOBS {
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

mod name_folding;
#[cfg(test)]
mod tests;
