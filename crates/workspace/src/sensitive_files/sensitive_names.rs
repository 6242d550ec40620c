//! File names that indicate secrets, as data. Names are in lower case.
//!
//! Files that most repositories have without a secret in them are left out: `gradle.properties`,
//! `settings.xml`, `nuget.config`, `auth.json`, `wp-config.php`, `appsettings.json`,
//! `database.yml`. They are read like any other file, and their secrets are redacted before
//! storage. In the folders of a user's own settings they do count.

/// The kind of secret that a file probably contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sensitivity {
    /// Environment variables, often with passwords: `.env`, `.envrc`, `prod.env`.
    Environment,
    /// Private keys, key stores and encrypted files.
    Key,
    /// Certificates, which are often stored with their keys.
    Certificate,
    /// Passwords or tokens: `.netrc`, `.npmrc`, `credentials.json`, `.git/config`.
    Credentials,
    /// Infrastructure state and variables, which contain keys in clear text.
    Infrastructure,
    /// Command histories, which may contain passwords: `.bash_history`.
    History,
}

impl Sensitivity {
    /// Returns a description of the file's content, for messages.
    pub fn description(self) -> &'static str {
        match self {
            Self::Environment => "variables of an environment",
            Self::Key => "a private key",
            Self::Certificate => "a certificate",
            Self::Credentials => "passwords or tokens",
            Self::Infrastructure => "infrastructure state, including keys",
            Self::History => "a command history, which may contain passwords",
        }
    }
}

use Sensitivity::{Certificate, Credentials, Environment, History, Infrastructure, Key};

/// Whole file names.
pub(super) const SECRET_NAMES: &[(&str, Sensitivity)] = &[
    (".authinfo", Credentials),
    (".boto", Credentials),
    (".databrickscfg", Credentials),
    (".dockercfg", Credentials),
    (".dockerconfigjson", Credentials),
    (".env", Environment),
    (".envrc", Environment),
    (".esmtprc", Credentials),
    (".fetchmailrc", Credentials),
    (".flaskenv", Environment),
    (".git-credentials", Credentials),
    (".htpasswd", Credentials),
    (".msmtprc", Credentials),
    (".my.cnf", Credentials),
    (".mylogin.cnf", Credentials),
    (".netrc", Credentials),
    (".npmrc", Credentials),
    (".pgpass", Credentials),
    (".pypirc", Credentials),
    (".s3cfg", Credentials),
    (".sentryclirc", Credentials),
    (".smbcredentials", Credentials),
    (".terraformrc", Credentials),
    (".vault-token", Credentials),
    (".vault_pass", Credentials),
    (".vault_password", Credentials),
    (".xauthority", Credentials),
    ("_netrc", Credentials),
    ("access_tokens.db", Credentials),
    ("accesstokens.json", Credentials),
    ("application_default_credentials.json", Credentials),
    ("credentials", Credentials),
    ("credentials.db", Credentials),
    ("htpasswd", Credentials),
    ("key3.db", Key),
    ("key4.db", Key),
    ("kubeconfig", Credentials),
    ("login data", Credentials),
    ("logins.json", Credentials),
    ("master.key", Key),
    ("msal_token_cache.bin", Credentials),
    ("msal_token_cache.json", Credentials),
    ("oauth_creds.json", Credentials),
    ("pgpass.conf", Credentials),
    ("rclone.conf", Credentials),
    ("sasl_passwd", Credentials),
    ("secrets", Credentials),
    ("signons.sqlite", Credentials),
    ("sitemanager.xml", Credentials),
    ("terraform.rc", Credentials),
    ("vault_pass.txt", Credentials),
    ("wallet.dat", Key),
    ("winscp.ini", Credentials),
    (".credentials.json", Credentials),
    ("secret.json", Credentials),
    ("secret.yaml", Credentials),
    ("secret.yml", Credentials),
    (".bash_history", History),
    (".histfile", History),
    (".irb_history", History),
    (".mongosh_history", History),
    (".mysql_history", History),
    (".node_repl_history", History),
    (".psql_history", History),
    (".python_history", History),
    (".rediscli_history", History),
    (".sh_history", History),
    (".sqlite_history", History),
    (".zhistory", History),
    (".zsh_history", History),
    ("consolehost_history.txt", History),
    ("fish_history", History),
];

/// Folder and file name, with the folder at any level above the file.
pub(super) const NAMES_BELOW_FOLDER: &[(&str, &str, Sensitivity)] = &[
    ("group_vars", "vault", Credentials),
    ("group_vars", "vault.yml", Credentials),
    ("group_vars", "vault.yaml", Credentials),
    ("host_vars", "vault", Credentials),
    ("host_vars", "vault.yml", Credentials),
    ("host_vars", "vault.yaml", Credentials),
    ("google-chrome", "cookies", Credentials),
    ("chromium", "cookies", Credentials),
    (".mozilla", "cookies.sqlite", Credentials),
    ("firefox", "cookies.sqlite", Credentials),
    ("gcloud", "adc.json", Credentials),
];

/// Folder and file name, with the folder directly above the file.
pub(super) const NAMES_IN_FOLDER: &[(&str, &str, Sensitivity)] = &[
    // Remote URLs may contain a token.
    (".git", "config", Credentials),
    ("etc", "gshadow", Credentials),
    ("etc", "master.passwd", Credentials),
    ("etc", "shadow", Credentials),
    ("etc", "shadow-", Credentials),
    (".docker", "config.json", Credentials),
    (".kube", "config", Credentials),
    (".cargo", "credentials.toml", Credentials),
    ("gh", "hosts.yml", Credentials),
    (".config", "hub", Credentials),
    ("glab-cli", "config.yml", Credentials),
    ("git", "credentials", Credentials),
    (".gradle", "gradle.properties", Credentials),
    (".m2", "settings.xml", Credentials),
    (".m2", "settings-security.xml", Credentials),
    (".nuget", "nuget.config", Credentials),
    ("nuget", "nuget.config", Credentials),
    (".composer", "auth.json", Credentials),
    ("composer", "auth.json", Credentials),
    (".codex", "auth.json", Credentials),
    ("opencode", "auth.json", Credentials),
    ("com.vercel.cli", "auth.json", Credentials),
    (".terraform.d", "credentials.tfrc.json", Credentials),
    (".pulumi", "credentials.json", Credentials),
    (".netlify", "config.json", Credentials),
    ("doctl", "config.yaml", Credentials),
    ("hcloud", "cli.toml", Credentials),
    (".fly", "config.yml", Credentials),
    (".circleci", "cli.yml", Credentials),
    (".travis", "config.yml", Credentials),
    (".bluemix", "config.json", Credentials),
    ("configstore", "firebase-tools.json", Credentials),
    (".dbt", "profiles.yml", Credentials),
    (".snowsql", "config", Credentials),
    (".snowflake", "connections.toml", Credentials),
    (".ngrok2", "ngrok.yml", Credentials),
    ("ngrok", "ngrok.yml", Credentials),
    (".kaggle", "kaggle.json", Credentials),
    (".huggingface", "token", Credentials),
    ("huggingface", "token", Credentials),
    ("huggingface", "stored_tokens", Credentials),
    (".solana", "id.json", Key),
    ("solana", "id.json", Key),
    (".vnc", "passwd", Credentials),
    ("age", "keys.txt", Key),
    ("filezilla", "recentservers.xml", Credentials),
    (".filezilla", "recentservers.xml", Credentials),
    ("op", "config", Credentials),
    (".op", "config", Credentials),
    ("linode-cli", "config", Credentials),
];

/// Suffixes of keys, key stores, encrypted files and infrastructure state.
pub(super) const SECRET_SUFFIXES: &[(&str, Sensitivity)] = &[
    (".agekey", Key),
    (".asc", Key),
    (".bks", Key),
    (".cer", Certificate),
    (".crt", Certificate),
    (".env", Environment),
    (".gpg", Key),
    (".jceks", Key),
    (".jks", Key),
    (".kdb", Key),
    (".kdbx", Key),
    (".key", Key),
    (".keychain", Key),
    (".keychain-db", Key),
    (".keystore", Key),
    (".keytab", Key),
    (".kubeconfig", Credentials),
    (".nmconnection", Credentials),
    (".ovpn", Key),
    (".p12", Key),
    (".p8", Key),
    (".pem", Key),
    (".pfx", Key),
    (".pgp", Key),
    (".pkcs12", Key),
    (".ppk", Key),
    (".psafe3", Key),
    (".snk", Key),
    (".tfstate", Infrastructure),
    (".tfstate.backup", Infrastructure),
    (".tfvars", Infrastructure),
    (".tfvars.json", Infrastructure),
];

/// Prefixes of private key names, which also match copies.
pub(super) const KEY_NAME_PREFIXES: &[&str] = &[
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "id_xmss",
    "krb5cc_",
    "ssh_host_dsa_key",
    "ssh_host_ecdsa_key",
    "ssh_host_ed25519_key",
    "ssh_host_rsa_key",
    "utc--",
];

/// Folders whose files all count as secret.
pub(super) const SECRET_FOLDERS: &[(&str, Sensitivity)] = &[
    (".aws", Credentials),
    (".azure", Credentials),
    (".cloudflared", Credentials),
    (".gnupg", Key),
    (".oci", Credentials),
    (".password-store", Key),
    (".ssh", Key),
    ("system-connections", Credentials),
    ("wireguard", Key),
];

/// Name prefixes that indicate secrets in data files but not in program sources.
pub(super) const DATA_NAME_PREFIXES: &[&str] = &[
    "client_secret",
    "credentials",
    "kubeconfig",
    "secrets",
    "service-account",
    "service_account",
    "serviceaccount",
];

/// Name parts that indicate secrets in data files.
pub(super) const DATA_NAME_PARTS: &[&str] = &["firebase-adminsdk"];

/// Suffixes of data files.
pub(super) const DATA_SUFFIXES: &[&str] = &[
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

/// Parts of the names of example `.env` files.
pub(super) const EXAMPLE_PARTS: &[&str] =
    &["default", "defaults", "dist", "example", "sample", "template"];
