//! The folders that commands may read if reading is confined.

use std::path::PathBuf;

use crate::environment::Environment;

/// System folders: programs, libraries, settings, devices and kernel files.
const SYSTEM_FOLDERS: &[&str] = &[
    "/bin",
    "/dev",
    "/etc",
    "/gnu",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/opt",
    "/proc",
    "/run",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
    "/var/cache",
    "/var/lib",
];

/// Files of compilers, package managers and version managers in the home folder that hold no
/// secrets: programs, libraries, settings without passwords.
const HOME_FOLDERS: &[&str] = &[
    ".asdf",
    ".bun",
    ".cache/Cypress",
    ".cache/ms-playwright",
    ".cache/puppeteer",
    ".cargo/bin",
    ".cargo/config.toml",
    ".cargo/env",
    ".cargo/registry",
    ".conda",
    ".config/git",
    ".config/pip",
    ".deno",
    ".dotnet",
    ".elan",
    ".fnm",
    ".ghcup",
    ".gitconfig",
    ".gitignore",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2/repository",
    ".nvm",
    ".opam",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".swiftly",
    ".volta",
    "anaconda3",
    "go",
    "miniconda3",
];

/// Returns the system and home folders, the folders on the `PATH` of `commands`, and `named`.
pub(crate) fn list_readable_folders(
    environment: &Environment,
    commands: &foveal_sandbox::CommandEnvironment,
    named: &[PathBuf],
) -> Vec<PathBuf> {
    let of_home =
        environment.user.home.iter().flat_map(|home| HOME_FOLDERS.iter().map(|of| home.join(of)));
    let programs = commands.get("PATH").map(std::env::split_paths).into_iter().flatten();
    // This program is also the guard of each command.
    let own = std::env::current_exe().ok();
    SYSTEM_FOLDERS
        .iter()
        .map(PathBuf::from)
        .chain(of_home)
        .chain(programs.filter(|folder| folder.is_absolute()))
        .chain(own)
        .chain(named.iter().cloned())
        .collect()
}
