use super::sensitive_names::Sensitivity::{Certificate, Infrastructure};
use super::*;

fn check(path: &str, expected: Option<Sensitivity>) {
    assert_eq!(sensitivity(Path::new(path)), expected, "{path}");
}

#[test]
fn secrets_are_told_by_name() {
    for (paths, kind) in [
        (
            &[".env", ".env.local", "web/.env.production", "prod.env", "a/prod.ENV", ".envrc"][..],
            Environment,
        ),
        (
            &["id_rsa", "id_ed25519", "id_ed25519_work", "server.PEM", "tls/server.key", "a.key"],
            Key,
        ),
        (&[".ssh/config", ".SSH/known_hosts", "backup/.ssh/x/y"], Key),
        (&["tls/server.crt"], Certificate),
        (
            &[
                ".npmrc",
                ".netrc",
                "credentials",
                "credentials.json",
                "secrets.yaml",
                "service-account-prod.json",
                ".git/config",
                "sub/.git/config",
            ],
            Credentials,
        ),
        (&["terraform.tfstate", "terraform.tfstate.backup"], Infrastructure),
    ] {
        for path in paths {
            check(path, Some(kind));
        }
    }
}

#[test]
fn what_version_control_obeys_is_told_by_folders() {
    for (path, expected) in [
        (".git/hooks/pre-commit", true),
        (".git/config", true),
        (".GIT/config", true),
        (".git", true),
        ("sub/.git", true),
        ("a/.git/modules/b/hooks/post-checkout", true),
        (".git/worktrees/b/config.worktree", true),
        ("served.git/hooks/update", true),
        (".hg/hgrc", true),
        (".gitignore", false),
        (".github/workflows/ci.yml", false),
        (".husky/pre-commit", false),
        ("src/git/hooks/a.rs", false),
        ("notes.git", false),
        ("", false),
    ] {
        assert_eq!(is_version_control(Path::new(path)), expected, "{path}");
    }
}

#[test]
fn other_files_are_not_taken_for_secrets() {
    for path in [
        ".env.example",
        ".env.local.sample",
        "id_rsa.pub",
        "env.rs",
        "credentials.rs",
        "secrets.py",
        "keys.rs",
        "environment",
        "environment.ts",
        "secretsmanager.go",
        "config",
        ".git/HEAD",
        "",
    ] {
        check(path, None);
    }
}

/// Usual places of secrets, by the names that people and programs give them.
const USUAL: &str = "
.env .env.local .env.production .env.development .env.staging .env.test .env.prod.local
.env.docker prod.env local.env .envrc .flaskenv web/.env backend/.env.backup
.netrc _netrc .pgpass pgpass.conf .my.cnf .mylogin.cnf .authinfo .authinfo.gpg .msmtprc
.fetchmailrc .esmtprc sasl_passwd .smbcredentials
.ssh/id_rsa .ssh/config .ssh/known_hosts id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
id_rsa.bak deploy/id_rsa_prod ssh_host_rsa_key ssh_host_ed25519_key
server.pem private.pem tls.key server.key cert.p12 cert.pfx app.jks release.keystore debug.keystore
trust.bks store.jceks AuthKey_2X9.p8 putty.ppk strong.snk host.keytab krb5cc_1000
vault.kdbx old.kdb safe.psafe3 login.keychain login.keychain-db backup.gpg key.asc mail.pgp x.agekey
.config/sops/age/keys.txt .gnupg/private-keys-v1.d/a.key .gnupg/secring.gpg .password-store/mail/me.gpg
.npmrc .pypirc .gem/credentials .cargo/credentials .cargo/credentials.toml .composer/auth.json
.config/composer/auth.json .nuget/NuGet.Config .config/NuGet/NuGet.Config .gradle/gradle.properties
.m2/settings.xml .m2/settings-security.xml
.docker/config.json .dockercfg .dockerconfigjson .kube/config kubeconfig kubeconfig.yaml
prod.kubeconfig .aws/credentials .aws/config .azure/accessTokens.json .azure/msal_token_cache.json
.config/gcloud/application_default_credentials.json .config/gcloud/credentials.db
.config/gcloud/access_tokens.db .config/gcloud/legacy_credentials/me/adc.json service-account.json
service_account_key.json serviceAccountKey.json my-app-firebase-adminsdk-1a2b3.json
client_secret_123.apps.json client_secrets.json credentials.json credentials.yml secrets.json
secrets.yml secrets.toml .streamlit/secrets.toml secret.yaml .oci/config .cloudflared/cert.pem
.config/doctl/config.yaml .config/hcloud/cli.toml .config/linode-cli/config .bluemix/config.json
.s3cfg .boto .config/rclone/rclone.conf .databrickscfg .snowsql/config .dbt/profiles.yml
.kaggle/kaggle.json .cache/huggingface/token .huggingface/token
terraform.tfstate terraform.tfstate.backup prod.tfvars prod.auto.tfvars secrets.tfvars.json .terraformrc
terraform.rc .terraform.d/credentials.tfrc.json .pulumi/credentials.json .vault-token .vault_pass
vault_pass.txt group_vars/all/vault.yml host_vars/db/vault.yaml config/master.key
config/credentials/production.key
.git-credentials .git/config .config/git/credentials .config/gh/hosts.yml .config/hub
.config/glab-cli/config.yml .circleci/cli.yml .travis/config.yml .sentryclirc .fly/config.yml
.netlify/config.json .ngrok2/ngrok.yml .config/configstore/firebase-tools.json
.codex/auth.json .claude/.credentials.json .gemini/oauth_creds.json .local/share/opencode/auth.json
.htpasswd htpasswd etc/shadow etc/gshadow
etc/NetworkManager/system-connections/home.nmconnection etc/wireguard/wg0.conf wg1.conf office.ovpn
.vnc/passwd .Xauthority .config/filezilla/sitemanager.xml .filezilla/recentservers.xml WinSCP.ini
.mozilla/firefox/a.default/logins.json .mozilla/firefox/a.default/key4.db
.mozilla/firefox/a.default/cookies.sqlite .config/google-chrome/Default/Cookies
wallet.dat .solana/id.json keystore/UTC--2024-01-01T00-00-00Z--ab
.bash_history .zsh_history .sh_history .psql_history .mysql_history .python_history
.node_repl_history .rediscli_history .sqlite_history .irb_history
.local/share/fish/fish_history AppData/PSReadLine/ConsoleHost_history.txt
";

#[test]
fn usual_names_are_guarded() {
    let usual: Vec<&str> = USUAL.split_whitespace().collect();
    assert!(usual.len() >= 160, "{}", usual.len());
    let open: Vec<&&str> =
        usual.iter().filter(|path| sensitivity(Path::new(path)).is_none()).collect();
    assert!(open.is_empty(), "{open:?}");
    assert!(sensitivity(Path::new("Chrome/Default/Login Data")).is_some());
}

/// Most repositories have these files without a secret in them: they are read, and stored with
/// their secrets redacted.
#[test]
fn names_of_settings_in_repositories_are_not_guarded() {
    for path in [
        "gradle.properties",
        "android/gradle.properties",
        "settings.xml",
        "NuGet.Config",
        "auth.json",
        "locales/en/auth.json",
        "wp-config.php",
        "appsettings.json",
        "config/database.yml",
        "config.json",
        "config/application.properties",
        ".yarnrc.yml",
        ".gitconfig",
        "k8s/vault.yaml",
        "charts/vault/values.yaml",
        "src/vault.rs",
        "wg.conf",
        "wgpu.conf",
        "history.txt",
        "src/token",
        "docs/secret.md",
        "tests/kubeconfig_test.go",
        "service_account.py",
        "src/huggingface/token.rs",
        "package-lock.json",
        "google-services.json",
    ] {
        check(path, None);
    }
}
