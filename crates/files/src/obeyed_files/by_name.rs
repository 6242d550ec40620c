//! Names that are asked for one by one, where a folder has too many entries to list them all.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use crate::obeyed::known_names;

/// Names that have capitals where others obey them.
const WITH_CAPITALS: &[&str] = &[
    ".RData",
    ".Renviron",
    ".Rprofile",
    ".externalToolBuilders",
    "CVS/Root",
    "Library",
    "buildServer.json",
];

/// The usual names of those that are known by their beginning or end.
const FRAMED: &[&str] = &[
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
    "lefthook.json",
    ".lefthook.yml",
    ".lefthook.yaml",
    ".lefthook.toml",
    "lefthook-local.yml",
    ".lefthook-local.yml",
    ".huskyrc",
    ".huskyrc.json",
    ".huskyrc.js",
    "husky.config.js",
    ".lintstagedrc",
    ".lintstagedrc.json",
    ".lintstagedrc.yaml",
    ".lintstagedrc.yml",
    ".lintstagedrc.js",
    ".lintstagedrc.mjs",
    ".lintstagedrc.cjs",
    "lint-staged.config.js",
    "lint-staged.config.mjs",
    "lint-staged.config.cjs",
    "lint-staged.config.ts",
    ".nano-staged.json",
    ".nano-staged.js",
    "nano-staged.js",
    ".simple-git-hooks.json",
    ".simple-git-hooks.js",
    ".simple-git-hooks.cjs",
    "simple-git-hooks.js",
    "grumphp.yml",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    "mise.toml",
    "mise.local.toml",
    ".mise.toml",
    ".mise.local.toml",
    ".autoenv",
    ".autoenv.zsh",
    ".bazelrc",
    "user.bazelrc",
    ".buckconfig",
    ".buckconfig.local",
    ".plzconfig",
    ".pnp.cjs",
    ".pnp.loader.mjs",
    ".lldbinit",
];

static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let spelled = WITH_CAPITALS.iter().chain(FRAMED).map(|name| (*name).to_owned());
    known_names().chain(spelled).collect()
});

/// All such names, some with the folder that they are in.
pub(super) fn all() -> impl Iterator<Item = &'static Path> {
    NAMES.iter().map(Path::new)
}

/// Whether what stands at `path` below a folder is seen if these names are asked for there.
pub(super) fn is_seen(path: &Path) -> bool {
    let is_name = |path: &Path| path.to_str().is_some_and(|name| NAMES.contains(name));
    is_name(path) || path.iter().next().is_some_and(|first| is_name(Path::new(first)))
}
