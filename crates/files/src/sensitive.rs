//! Files that hold what must stay secret, and files that programs obey unseen, told by their
//! names.

use std::path::Path;

/// What kind of secret a file is taken to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sensitivity {
    /// Variables of an environment, often with passwords: `.env`, `.envrc`, `prod.env`.
    Environment,
    /// Private keys, key stores and encrypted files.
    Key,
    /// Certificates, which often come with their keys.
    Certificate,
    /// Names with passwords or tokens: `.netrc`, `.npmrc`, `credentials.json`, `.git/config`.
    Credentials,
    /// States and variables of infrastructure, which hold keys in clear.
    Infrastructure,
}

impl Sensitivity {
    /// What such a file holds, for a message.
    pub fn holds(self) -> &'static str {
        match self {
            Self::Environment => "variables of an environment",
            Self::Key => "a private key",
            Self::Certificate => "a certificate",
            Self::Credentials => "passwords or tokens",
            Self::Infrastructure => "the state of infrastructure, with its keys",
        }
    }
}

use Sensitivity::{Certificate, Credentials, Environment, Infrastructure, Key};

/// Whole names.
const NAMES: &[(&str, Sensitivity)] = &[
    (".dockercfg", Credentials),
    (".env", Environment),
    (".envrc", Environment),
    (".git-credentials", Credentials),
    (".htpasswd", Credentials),
    (".netrc", Credentials),
    (".npmrc", Credentials),
    (".pgpass", Credentials),
    (".pypirc", Credentials),
    ("_netrc", Credentials),
    ("credentials", Credentials),
    ("secrets", Credentials),
];

/// Names in a folder.
const IN_FOLDER: &[(&str, &str, Sensitivity)] = &[
    // Addresses of remotes may hold a token.
    (".git", "config", Credentials),
    ("etc", "gshadow", Credentials),
    ("etc", "master.passwd", Credentials),
    ("etc", "shadow", Credentials),
    ("etc", "shadow-", Credentials),
    (".docker", "config.json", Credentials),
    (".kube", "config", Credentials),
    (".cargo", "credentials.toml", Credentials),
    ("gh", "hosts.yml", Credentials),
];

/// Endings of keys, key stores, encrypted files and states that hold keys.
const ENDINGS: &[(&str, Sensitivity)] = &[
    (".asc", Key),
    (".cer", Certificate),
    (".crt", Certificate),
    (".env", Environment),
    (".gpg", Key),
    (".jks", Key),
    (".kdbx", Key),
    (".key", Key),
    (".keystore", Key),
    (".p12", Key),
    (".p8", Key),
    (".pem", Key),
    (".pfx", Key),
    (".pkcs12", Key),
    (".ppk", Key),
    (".tfstate", Infrastructure),
    (".tfstate.backup", Infrastructure),
    (".tfvars", Infrastructure),
];

/// Names of private keys, of which there may be copies.
const KEYS: &[&str] = &["id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];

/// Folders of keys.
const FOLDERS: &[(&str, Sensitivity)] = &[(".aws", Credentials), (".gnupg", Key), (".ssh", Key)];

/// Beginnings of names that are secret if the file holds data; a program called so is not.
const STEMS: &[&str] = &["client_secret", "credentials", "secrets", "service-account"];

/// Endings of files that hold data.
const DATA_ENDINGS: &[&str] = &[
    ".cfg",
    ".conf",
    ".csv",
    ".ini",
    ".json",
    ".properties",
    ".toml",
    ".txt",
    ".xml",
    ".yaml",
    ".yml",
];

/// Parts of the names of `.env` files that show what one looks like.
const EXAMPLES: &[&str] = &["default", "defaults", "dist", "example", "sample", "template"];

/// What secret the file at `path`, by its name and folders, is taken to hold. Case is ignored,
/// since some file systems do.
pub fn sensitivity(path: &Path) -> Option<Sensitivity> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let folders = || path.parent().into_iter().flat_map(Path::iter);
    let in_folder = FOLDERS
        .iter()
        .find(|(folder, _)| folders().any(|part| part.eq_ignore_ascii_case(folder)))
        .map(|(_, kind)| *kind);
    in_folder.or_else(|| of_name(&name)).or_else(|| {
        let parent = folders().next_back()?;
        IN_FOLDER
            .iter()
            .find(|(folder, file, _)| parent.eq_ignore_ascii_case(folder) && name == *file)
            .map(|(_, _, kind)| *kind)
    })
}

/// Folders in which version control keeps its own files.
const VERSION_CONTROL: &[&str] = &[".bzr", ".git", ".hg", ".jj", ".svn"];

/// Whether version control obeys or runs what stands at `path`: hooks, aliases, filters, and the
/// file that tells a worktree or submodule where these are. No review of changes shows such
/// files, unlike those of tools that keep theirs among the sources (`.husky`, `Makefile`).
pub fn is_version_control(path: &Path) -> bool {
    let is_own = |part: &str| VERSION_CONTROL.iter().any(|name| part.eq_ignore_ascii_case(name));
    // A repository without a worktree.
    let is_bare = |part: &str| part.to_ascii_lowercase().ends_with(".git");
    let folders = path.parent().into_iter().flat_map(Path::iter);
    path.iter().any(|part| is_own(&part.to_string_lossy()))
        || folders.into_iter().any(|part| is_bare(&part.to_string_lossy()))
}

/// What secret a name alone, in lower case, tells of.
fn of_name(name: &str) -> Option<Sensitivity> {
    if let Some(rest) = name.strip_prefix(".env.") {
        return (!rest.split('.').any(|part| EXAMPLES.contains(&part))).then_some(Environment);
    }
    if KEYS.iter().any(|key| name.starts_with(key)) {
        return (!name.ends_with(".pub")).then_some(Key);
    }
    let is_data = STEMS.iter().any(|stem| name.starts_with(stem))
        && DATA_ENDINGS.iter().any(|ending| name.ends_with(ending));
    if is_data {
        return Some(Credentials);
    }
    let named = NAMES.iter().find(|(whole, _)| name == *whole);
    let ending = || ENDINGS.iter().find(|(ending, _)| name.ends_with(ending));
    named.or_else(ending).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests;
