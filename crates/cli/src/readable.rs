//! What commands can read where reading is confined.

use std::path::PathBuf;

use crate::environment::Environment;

/// Folders of the system: programs, libraries, settings, devices, and what the kernel tells.
const SYSTEM: &[&str] = &[
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

/// What compilers, package managers and version managers keep in the home folder, as far as it is
/// no secret: programs, libraries, settings without passwords.
const OF_HOME: &[&str] = &[
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

/// These folders, those from which `commands` start programs, and `named`.
pub(crate) fn folders(
    environment: &Environment,
    commands: &foveal_processes::Environment,
    named: &[PathBuf],
) -> Vec<PathBuf> {
    let of_home = environment.home.iter().flat_map(|home| OF_HOME.iter().map(|of| home.join(of)));
    let programs = commands.get("PATH").map(std::env::split_paths).into_iter().flatten();
    // The guard of a command is this very program.
    let own = std::env::current_exe().ok();
    SYSTEM
        .iter()
        .map(PathBuf::from)
        .chain(of_home)
        .chain(programs.filter(|folder| folder.is_absolute()))
        .chain(own)
        .chain(named.iter().cloned())
        .collect()
}
