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
