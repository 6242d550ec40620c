use super::*;

fn check(rules: &[(&str, &str, Verdict)], access: (&'static str, &str, bool), said: Verdict) {
    let rule = |(tool, subject, verdict): &(&str, &str, Verdict)| PermissionRule {
        tool: (*tool).to_owned(),
        subject: (*subject).to_owned(),
        verdict: *verdict,
    };
    let policy = PermissionPolicy { rules: rules.iter().map(rule).collect() };
    let (tool, subject, has_concern) = access;
    let concern = has_concern.then_some("may hold secrets");
    let access = Access { concern, ..Access::new(tool, subject) };
    assert_eq!(policy.decide(&access).verdict, said, "{rules:?} {access:?}");
}

#[test]
fn the_last_rule_that_matches_counts() {
    use Verdict::{Allow, Ask, Deny};
    let rules = [("*", "*", Ask), ("read_*", "src/*", Allow), ("read_file", "src/a*", Deny)];
    check(&rules, ("read_file", "src/b/c.rs", false), Allow);
    check(&rules, ("read_file", "src/a/c.rs", false), Deny);
    check(&rules, ("read_lines", "src/a/c.rs", false), Allow);
    check(&rules, ("read_file", "c.rs", false), Ask);
    check(&rules, ("grep", "src", false), Ask);
    check(&[], ("read_file", "a.rs", false), Allow);
    check(&[("{glob,grep}", "a[", Deny)], ("grep", "a[", false), Deny);
    check(&[("{glob,grep}", "a[", Deny)], ("grep", "a", false), Allow);
    check(&[("reset", "*", Deny)], ("reset", "", false), Deny);
}

#[test]
fn what_may_hold_secrets_is_asked_about_unless_it_is_named() {
    use Verdict::{Allow, Ask, Deny};
    check(&[], ("read_file", ".env", true), Ask);
    check(&[("*", "*", Allow)], ("read_file", ".env", true), Ask);
    check(&[("*", "**", Deny)], ("read_file", ".env", true), Deny);
    check(&[("read_*", "**/.env", Allow)], ("read_file", "a/.env", true), Allow);
    check(&[("read_*", "**/.env", Allow)], ("edit_file", "a/.env", true), Ask);
    for wide in ["src/**", "src/*", "src/.*", "{src/**,a}", "src/{*,a}", "src/[!a]*", "{src,a}/**"]
    {
        check(&[("*", wide, Allow)], ("read_file", "src/.env", true), Ask);
        check(&[("*", wide, Deny)], ("read_file", "src/.env", true), Deny);
    }
    check(&[("*", "src/**", Allow)], ("read_file", "src/.env", false), Allow);
    for named in ["src/.env", "src/.e*", "**/{.env,a.pem}", "**/.{env,npmrc}", "src/.en[v]"] {
        check(&[("*", named, Allow)], ("read_file", "src/.env", true), Allow);
    }
    check(&[("*", ".git/**", Allow)], ("write_file", ".git/hooks/a", true), Allow);
}

#[test]
fn rules_about_addresses_are_about_all_their_spellings() {
    use Verdict::{Allow, Deny};
    let say = |rules: &[(&str, &str, Verdict)], written: &str| {
        let rule = |(tool, subject, verdict): &(&str, &str, Verdict)| PermissionRule {
            tool: (*tool).to_owned(),
            subject: (*subject).to_owned(),
            verdict: *verdict,
        };
        let policy = PermissionPolicy { rules: rules.iter().map(rule).collect() };
        let normal = foveal_web::normalize_address(written).expect("an address");
        let access = Access { written: Some(written), ..Access::new("web_fetch", &normal) };
        policy.decide(&access).verdict
    };
    let denies = [("web_fetch", "https://Docs.example/secret*", Deny)];
    let allows = [("*", "*", Deny), ("web_fetch", "https://docs.example/open/*", Allow)];
    for spelled in [
        "https://docs.example",
        "HTTPS://DOCS.example:443",
        "https://docs.example.",
        "https:\\\\docs.example",
    ] {
        assert_eq!(say(&denies, &format!("{spelled}/secret/a")), Deny, "{spelled}");
        assert_eq!(say(&denies, &format!("{spelled}/%73ecret/a")), Deny, "{spelled}");
        assert_eq!(say(&denies, &format!("{spelled}//secret")), Deny, "{spelled}");
        assert_eq!(say(&denies, &format!("{spelled}/open")), Allow, "{spelled}");
        assert_eq!(say(&allows, &format!("{spelled}/open/a")), Allow, "{spelled}");
        assert_eq!(say(&allows, &format!("{spelled}/open/../secret")), Deny, "{spelled}");
    }
    assert_eq!(say(&allows, "https://docs.example.evil/open/a"), Deny);
    // Strict rules hold for what was written, too.
    assert_eq!(say(&[("web_fetch", "*#private", Deny)], "https://docs.example/#private"), Deny);
}
