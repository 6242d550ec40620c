//! Texts with secrets, and similar texts without.

use foveal_redaction::{RedactedBytes, find_secrets, redact};
use proptest::prelude::*;
use std::time::Duration;

use crate::fronts::FRONTS;

/// Returns the redacted text.
fn stored(text: &str) -> String {
    match redact(text.as_bytes()) {
        Some(RedactedBytes { bytes, .. }) => String::from_utf8(bytes).expect("it stays text"),
        None => text.to_owned(),
    }
}

/// Made-up secrets: kind, beginning and rest, separated so that repository scanners do not take
/// them for real ones.
const SECRETS: &[(&str, &str, &str)] = &[
    ("AWS access key", "AKIA", "QYLPMN5HFIQR7XYA"),
    ("GitHub token", "ghp_", "abcdefghij0123456789ABCDEFGHIJ012345"),
    ("GitHub token", "github_pat_", "11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789"),
    ("GitLab token", "glpat-", "a1B2c3D4e5F6g7H8i9J0"),
    ("Slack token", "xoxb-", "123456789012-abcdefGHIJKL"),
    ("Slack webhook", "hooks.slack.com/services/", "T00000001/B00000001/abcdefghijklmnop"),
    ("Google API key", "AIza", "SyA1234567890abcdefghijklmnopqrstuv"),
    ("Google client secret", "GOCSPX-", "abcdefghijklmnopqrstuvwxyz12"),
    ("Google access token", "ya29.", "a0AfH6SMBabcdefghijklm"),
    ("Anthropic API key", "sk-ant-", "api03-abcdefghijklmnopqrstuvwxyz"),
    ("OpenAI API key", "sk-proj-", "abcdefghijklmnopqrstuvwxyz"),
    ("API key", "sk-", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"),
    ("Stripe key", "sk_live_", "abcdefghij0123456789"),
    ("Stripe webhook secret", "whsec_", "abcdefghij0123456789ABCD"),
    ("npm token", "npm_", "abcdefghij0123456789ABCDEFGHIJ012345"),
    (
        "PyPI token",
        "pypi-",
        "AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMAACKlszLCJhYmNkZWZnaGlqa2xtbm9wcXIi",
    ),
    ("Hugging Face token", "hf_", "abcdefghijABCDEFGHIJ0123456789"),
    ("SendGrid key", "SG.", "abcdefghij0123456789AB.abcdefghij0123456789abcdefghij0123456789abc"),
    (
        "DigitalOcean token",
        "dop_v1_",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    ),
    ("Docker token", "dckr_pat_", "abcdefghij0123456789abcdefg"),
    ("Vault token", "hvs.", "abcdefghij0123456789abcd"),
    ("Databricks token", "dapi", "0123456789abcdef0123456789abcdef"),
    ("Shopify token", "shpat_", "0123456789abcdef0123456789abcdef"),
    ("Linear key", "lin_api_", "abcdefghij0123456789abcdefghij0123456789"),
    ("Groq key", "gsk_", "abcdefghij0123456789abcdefghij0123456789"),
    ("xAI key", "xai-", "abcdefghij0123456789abcdefghij0123456789abcdefghij0123456789"),
    ("Age key", "AGE-SECRET-KEY-", "1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"),
    (
        "JSON web token",
        "eyJhbGciOiJIUzI1NiJ9",
        ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    ),
];

#[test]
fn tokens_are_found_wherever_they_stand() {
    for (kind, beginning, rest) in SECRETS {
        for (before, behind) in
            [("", ""), ("x = \"", "\";\n"), ("größer ", " …"), ("12→- ", "\r\n"), ("a,", ",b")]
        {
            let text = format!("{before}{beginning}{rest}{behind}");
            let shown = stored(&text);
            let beginning = if *kind == "Slack webhook" { beginning } else { "" };
            let expected = format!("{before}{beginning}[secret removed: {kind}]{behind}");
            assert_eq!(shown, expected, "{text}");
        }
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(stored(text), expected, "{text}");
}

#[test]
fn values_are_found_by_what_they_are_assigned_to() {
    const NOTE: &str = "[secret removed: password]";
    for (before, behind) in [
        ("password = \"", "\""),
        ("DB_PASSWORD=", ""),
        ("export API_KEY=", "\n"),
        ("  client_secret: '", "',"),
        ("{\"apiKey\": \"", "\"}"),
        ("auth_token := \"", "\""),
        ("const SECRET_KEY = `", "`;"),
        ("secret => \"", "\""),
        ("GITLAB_TOKEN=", "\nNEXT=1"),
    ] {
        check(&format!("{before}q8Zx61LmP0vTr7Ws{behind}"), &format!("{before}{NOTE}{behind}"));
    }
    let aws = "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYq8Zx61LmP0\n";
    check(aws, &format!("aws_secret_access_key = {NOTE}\n"));
    check(
        "postgres://app:s3cr3t-horse@db.internal/app and ftp://a.b/c:d@e",
        "postgres://app:[secret removed: password in an address]@db.internal/app and \
         ftp://a.b/c:d@e",
    );
    // Several words, and values on lines of their own.
    for (before, behind) in [
        ("a:\n  password: |-\n    ", "\n  b: 1\n"),
        ("password = \"\"\"", "\"\"\""),
        ("<a:Password b=\"c\">", "</a:Password>"),
        ("<key>password</key>\n<string>", "</string>"),
        ("echo '", "' | sudo -S ls"),
    ] {
        let note = if before.starts_with("echo") {
            "[secret removed: password of a command]"
        } else {
            NOTE
        };
        check(&format!("{before}falcon57{behind}"), &format!("{before}{note}{behind}"));
    }
    check("password = 'falcon57 hunter50'", &format!("password = '{NOTE}'"));
    check("db:5432:a:b:fal\\:con57\n", &format!("db:5432:a:b:{NOTE}\n"));
    for harmless in ["password = 'at least 8 signs'", "password: |\n  See chapter 2.\nb: 1\n"] {
        check(harmless, harmless);
    }
    check(
        "curl -H 'Authorization: Bearer q8Zx61LmP0vTr7Ws' x",
        "curl -H 'Authorization: Bearer [secret removed: authorization header]' x",
    );
    check(
        "AccountName=a;AccountKey=abcdefghij0123456789abcdefghij0123456789ABCD==;End=1",
        "AccountName=a;AccountKey=[secret removed: Azure storage key];End=1",
    );
}

#[test]
fn values_are_found_in_commands_and_headers() {
    const VALUE: &str = "q8Zx61LmP0vTr7Ws";
    for (kind, before, behind) in [
        ("password", "DB_PASSWORD=", " # prod\n"),
        ("password", "DB_PASSWORD=", "\t// prod\n"),
        ("password", "password: ", " # prod\n"),
        ("password", "PGPASSWORD=", " psql -h x"),
        ("password", "export API_KEY=", " && run"),
        ("password", "export API_KEY=", "; run"),
        ("password", "A_TOKEN=", "|cat"),
        ("password", "sh -c 'DB_PASSWORD=", "' x"),
        ("password", "https://a.example/b?api_key=", "&page=2"),
        ("password", "https://a.example/b?access_token=", "\" x"),
        ("password", "mysql --password=", " -h x"),
        ("password of an option", "tool --password ", " --verbose"),
        ("password of an option", "tool --token '", "' x"),
        ("password of an option", "[\"tool\", \"--api-key\", \"", "\"]"),
        ("password of an option", "tool --secret-access-key ", "\n"),
        ("password of a user", "curl -u name:", " https://a.example"),
        ("password of a user", "curl -sS --user 'name:", "' x"),
        ("password of a user", "curl -X POST \\\n  -H 'A: b' \\\n  -u name@a.example:", " \\\n  x"),
        ("password of a user", "[\"curl\", \"-u\", \"name:", "\"]"),
        ("cookie", "Cookie: ", "=1\n"),
    ] {
        let (before, value) = match kind {
            "cookie" => (before, format!("session={VALUE}; theme=dark; n")),
            _ => (before, VALUE.to_owned()),
        };
        let behind = if kind == "cookie" { "\n" } else { behind };
        let value = value.trim_end_matches("; n");
        let text = format!("{before}{value}{behind}");
        check(&text, &format!("{before}[secret removed: {kind}]{behind}"));
    }
    // People choose words.
    check(
        "curl -u admin:correct-horse https://a.example",
        "curl -u admin:[secret removed: password of a user] https://a.example",
    );
    let cookie = "theme=dark; sid=s%3Aq8Zx61LmP0vTr7Ws.q8Zx61LmP0";
    for (before, behind) in [
        ("curl -H 'Cookie: ", "' x"),
        ("Set-Cookie: ", "\r\n"),
        ("{\"cookie\": \"", "\"}"),
        ("curl --cookie \"", "\" x"),
    ] {
        check(
            &format!("{before}{cookie}{behind}"),
            &format!("{before}[secret removed: cookie]{behind}"),
        );
    }
}

#[test]
fn many_words_of_secrets_take_no_longer_than_few() {
    for word in ["cookie:a=b;", "cookie a=", "curl -u ", "curl ", "--token ", "password=aB1"] {
        let text = word.repeat((1 << 18) / word.len());
        assert!(find_secrets(text.as_bytes()).len() < 9, "{word}");
    }
}

#[test]
fn code_that_speaks_of_secrets_is_left_alone() {
    for text in [
        "let password=sha256Hash;",
        "secret = base64Decode2 # as it is\n",
        "token=utf8Token2 ",
        "var apiKey=a.config.s3KeyName;",
        "password=getPassword2(user);",
        "connect(password=md5Value, token=self.oauth2Token)",
        "PASSWORD=$(cat /run/secrets/db1) run",
        "PASSWORD=\"$DB_PASSWORD_1\" run",
        "DB_PASSWORD=changeme123 run",
        "use --password to log in, --token TOKEN2, or --password-file /run/a1",
        "tool --token $GITHUB_TOKEN1 --secret <SECRET_123> --password ${PASSWORD_1}",
        "curl -u user:password https://a.example",
        "curl -u \"$USER:$PASS\" https://a.example && docker run -u 1000:1000 x",
        "curl -u <name>:<token> x; curl -u {user}:{token} x; curl -u name: x",
        "curl https://a.example\ndocker run -u root:wheel1 x",
        "sort -u a:b2, git push -u origin:main1",
        "cookie: theme=dark; path=/; version=12",
        "document.cookie = \"name=\" + value",
        "cookie settings, cookie name=value, the cookie: a=b",
        "const cookie = parse(request.headers.cookie1)",
        "let password = prompt_password(\"Password: \")?;",
        "password: String,",
        "secret = os.environ[\"API_KEY_2\"]",
        "const token = process.env.GITHUB_TOKEN1;",
        "api_key=\"your-api-key-1234\"",
        "api_key = \"<YOUR_API_KEY_1>\"",
        "password = \"${DB_PASSWORD_1}\"",
        "SECRET_NAME: \"my-app-secret-2\"",
        "passwordField = \"password_input_1\"",
        "self.access_token = config.access_token_v2",
        "secretKeyRef: my-secret-v2",
        "token_count = 123456789012",
        "if password == \"hunter2\" {",
        "max_token: 1_000_000",
        "credential_type = \"ServiceAccountV1\"",
        "sk-learn and task-abcdefghijklmnopqrstuvwxyzabcdefgh",
        "https://example.org:8080/path@2x.png and git@github.com:a/b.git",
        "http://{user}:{password}@{host}/",
        "the eyJ prefix, AKIA, ghp_ and -----BEGIN CERTIFICATE-----",
        "use crate::secrets::{redact, Redacted};",
        "magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a",
        "magnet:?xt=urn:btih:C12FE1C06BBA254A9DC9F519B335AA7C1367A88A&dn=file.iso",
        "link = \"magnet:?xt=urn:btih:YNCKHTQCWBTRNJIV4WNAE52SJUQCZO5C&tr=udp://a.example:80\"",
        "magnet:?xt=urn:btmh:1220caf1e1c30e81cb361b9ee167c4aa64228a7fa4fa9f6105232b28ad099f3a302e",
        "magnet:?xt=urn:ed2k:354B15E68FB8F36D7CD88FF94116CDC1&xs=ed2kftp://1.2.3.4:4242/x",
        "magnet:?xt=urn:btih:aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9n&dn=a%20b",
    ] {
        check(text, text);
    }
}

#[test]
fn a_private_key_leaves_its_lines() {
    let words = ["RSA PRIVATE", "PRIVATE", "OPENSSH PRIVATE"];
    for word in words {
        let begin = format!("-----BEGIN {word} KEY-----");
        let body = "\nMIIEpAIBAAKCAQEA7bq\nabc+/=\n";
        let note = "[secret removed: private key]";
        let whole = format!("a\n{begin}{body}-----END {word} KEY-----\nb\n");
        check(&whole, &format!("a\n{note}\n\n\n\nb\n"));
        // The end is missing, as in the head of a file.
        check(&format!("{begin}{body}"), &format!("{note}\n\n\n"));
        // In a JSON string, and with the numbers of lines.
        let escaped = format!("\"{begin}\\nMIIE\\n-----END {word} KEY-----\\n\"");
        check(&escaped, &format!("\"{note}\\n\""));
        let numbered = format!("1→{begin}\n2→MIIE\n3→-----END {word} KEY-----\n");
        check(&numbered, &format!("1→{note}\n\n\n"));
    }
}

#[test]
fn a_long_secret_leaves_no_rest() {
    for length in [100, 255, 256, 257, 1_000, 20_000] {
        let text = format!("x {}{} y", "ghp_", "a1B2".repeat(length));
        check(&text, "x [secret removed: GitHub token] y");
        let text = format!("eyJ{0}.eyJ{0}.{0} y", "a1B2".repeat(length));
        check(&text, "[secret removed: JSON web token] y");
    }
    let key = "MIIEpAIBAAKCAQEA7bq0123456789\n".repeat(2_000);
    let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let lines = "\n".repeat(2_001);
    check(&format!("{begin}\n{key}{end}z"), &format!("[secret removed: private key]{lines}z"));
}

#[test]
fn several_are_counted() {
    let redacted = redact(b"AKIAQYLPMN5HFIQR7XYA AKIAQYLPMN5HFIQR7XYB\nAKIA").expect("two");
    assert_eq!(redacted.secrets, 2);
}

fn fragments() -> impl Strategy<Value = String> {
    let words = prop_oneof![
        "[ -~\n]{0,12}",
        Just("password=".to_owned()),
        Just("\"secret\": \"".to_owned()),
        Just("q8Zx61LmP0vTr7Ws".to_owned()),
        Just("https://a:".to_owned()),
        Just("@b".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just("-----END PRIVATE KEY-----".to_owned()),
        Just("ä\n".to_owned()),
        "\n[+-]|\n[0-9]{1,3}[→:-]|\na/b:[0-9]:|\n    1 [+ -] |\n> ",
        Just(": >-\n ".to_owned()),
        Just("a,password\nb,".to_owned()),
        (0..SECRETS.len()).prop_map(|at| format!("{}{}", SECRETS[at].1, SECRETS[at].2)),
    ];
    proptest::collection::vec(words, 0..12).prop_map(|words| words.concat())
}

proptest! {
    /// Only secrets are replaced; line numbers stay; the result is valid text.
    #[test]
    fn the_rest_is_untouched(text in fragments()) {
        let shown = stored(&text);
        prop_assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
        let mut end = 0;
        let mut rest = shown.as_str();
        for secret in find_secrets(text.as_bytes()) {
            let before = &text[end..secret.range.start];
            rest = rest.strip_prefix(before).expect("what stands before it is there");
            let note = format!("[secret removed: {}]", secret.kind);
            rest = rest.strip_prefix(note.as_str()).expect("a note is there");
            let lines = text[secret.range.clone()].matches('\n').count();
            rest = &rest[lines..];
            end = secret.range.end;
        }
        prop_assert_eq!(rest, &text[end..]);
    }

    /// A secret between blanks is found in any context.
    #[test]
    fn no_token_is_left(before in fragments(), behind in fragments(), at in 0..SECRETS.len()) {
        let (_, beginning, rest) = SECRETS[at];
        let shown = stored(&format!("{before} {beginning}{rest} {behind}"));
        let left = shown.contains(rest) && !before.contains(rest) && !behind.contains(rest);
        prop_assert!(!left, "{}", shown);
    }

    /// Accepts any bytes.
    #[test]
    fn bytes_are_no_trouble(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        find_secrets(&bytes);
    }
}

/// Encodes the text in UTF-16, in either byte order.
fn wide(text: &str, is_big: bool) -> Vec<u8> {
    let units = text.encode_utf16();
    units.flat_map(|unit| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[test]
fn texts_in_utf_16_are_read() {
    let text = "größer\r\npassword = \"q8Zx61LmP0vTr7Ws\"\r\nDB_PASS=q8Zx61LmP0vTr7Ws\r\n…\r\n";
    let expected = "größer\r\npassword = \"[secret removed: password]\"\r\n\
                    DB_PASS=[secret removed: password]\r\n…\r\n";
    for is_big in [false, true] {
        for mark in ["", "\u{feff}"] {
            let redacted = redact(&wide(&format!("{mark}{text}"), is_big)).expect("two");
            assert_eq!(redacted.bytes, wide(&format!("{mark}{expected}"), is_big));
            assert_eq!(redacted.secrets, 2);
        }
    }
    // At the end of the text, and between other bytes.
    let end = redact(&wide("A_TOKEN=q8Zx61LmP0vTr7Ws", true)).expect("one");
    assert_eq!(end.bytes, wide("A_TOKEN=[secret removed: password]", true));
    let mixed =
        [b"\0\0\xff".as_slice(), &wide("A_TOKEN=q8Zx61LmP0vTr7Ws ", false), b"\xff\0"].concat();
    assert_eq!(redact(&mixed).expect("one").secrets, 1);
}

#[test]
fn lines_are_kept_whatever_is_removed() {
    let line = "q8Zx61LmP0vTr7WsAb3Cd4Ef5Gh6Ij7Kl8Mn9Op0Qr1St2Uv3Wx4Yz5Aa6Bb7Cc8\n";
    for text in [
        line.repeat(5),
        format!("{}{2}END RSA PRIVATE KEY{2}\n{1}", line.repeat(2), "rest\n", "-----"),
        format!("kind: Secret\ndata:\n  a: |\n    {line}    {line}  b: YWJjZA==\n---\nrest: 1\n"),
        format!("password: >-\n  {line}  {line}\nb: 1\n"),
    ] {
        let shown = stored(&text);
        assert_ne!(shown, text);
        assert!(!shown.contains("q8Zx61LmP0vTr7Ws"), "{shown}");
        assert_eq!(shown.matches('\n').count(), text.matches('\n').count(), "{shown}");
    }
}

/// The keywords of rules, for repetition.
const UNITS: &[&str] = &[
    "api-",
    "sdk-",
    "-re_",
    "AIza-",
    "authorization=",
    "-----END PRIVATE KEY-----",
    "password:",
    "password=",
    "password: ",
    "\"password\": \"",
    "password='",
    "pass=\\\"",
    "token:token:",
    "_key=",
    "secret = ",
    "https://",
    "://a:",
    "://a:b@",
    "cookie:a=b;",
    "cookie a=",
    "curl -u ",
    "curl ",
    "mysql ",
    "mysql -p",
    "http -a ",
    "docker login ",
    "machine a login b ",
    "--token ",
    "--user a:",
    "kind: Secret\n",
    "kind: Secret\ndata:\n",
    "{\"kind\":\"Secret\",\"data\":{",
    "kind\":\"Secret\"",
    "a:5432:b:c:",
    ":*:",
    ":5432:",
    "-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----",
    "-----END",
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2\n",
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY",
    "a1B2c3D4",
    "a1B2c3D4=",
    "bearer a",
    "authorization: bearer ",
    "sig=a",
    "?key=a",
    "eyJabcdefghijkl.",
    "sk-",
    "ghp_",
    "ghp_a1B2",
    "$6$a$",
    "$argon2id$",
    "{SHA}",
    "\"d\":\"",
    "define('AUTH_KEY',",
    "a\0",
    "p\0a\0s\0s\0=\0",
    "\0\0",
    "name: A_TOKEN\nvalue: ",
    "<password>",
    "\\n",
    "\\\\\\\"",
    "\"auth\": \"YTpi",
    "discord: ",
    "-pass ",
    "identified by '",
    "token: a<",
    "x_pass: &str = ",
    "password: |\n",
    "password: |\n  a1\n",
    " password: >\n  ",
    "password = \"\"\"",
    "password='''a",
    "<password a=\"",
    "<a:password b>",
    "<key>password</key>\n<string>",
    "echo a | ",
    "echo abcdef1 | sudo ",
    "-password a",
    "setenv a_token ",
    "requirepass ",
    "password 0 ",
    "jdbc:oracle:thin:a/",
    "sqlplus a/",
    "auth=(\"a\", ",
    "otpauth://a?",
    "Private-Lines: 1\n",
    "Private-Lines: 1\nQUJD\n",
    "<auth-user-pass>\na\n",
    "openssl enc ",
    "a\\:5432:",
];

/// A text of keywords takes at most a few times as long as a text without.
#[test]
fn no_text_takes_long() {
    let time = |text: &str| {
        let (begin, used) = (std::time::Instant::now(), processor());
        find_secrets(text.as_bytes());
        let used = used.zip(processor()).map(|(before, after)| after - before);
        used.unwrap_or_else(|| begin.elapsed())
    };
    let of = |unit: &str| unit.repeat((1 << 17) / unit.len());
    find_secrets(of("password=\"q8Zx61LmP0vTr7Ws\" https://a:b@c curl -u a:b x\n").as_bytes());
    let plain = time(&of("let value = compute(first, second);\n")).max(time(&of("plain words, ")));
    for unit in UNITS.iter().chain(FRONTS) {
        let text = of(unit);
        // In test builds a keyword takes far longer than plain text, which only the automaton
        // reads. Quadratic time would be seconds.
        let most = plain * 60 + Duration::from_millis(250);
        let is_quick = (0..3).any(|_| time(&text) < most);
        assert!(is_quick, "{unit:?}: {:?}, plain {plain:?}", time(&text));
    }
}

/// Returns the CPU time of this thread, on Linux: other programs use the machine too.
fn processor() -> Option<Duration> {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(schedule.split(' ').next()?.parse().ok()?))
}
