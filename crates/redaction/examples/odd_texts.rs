//! Times the redactor on adversarial texts full of its keywords, compared with source code of the
//! same size: untrusted input must not determine the time to store it.
//!
//! `cargo run --release -p foveal-redaction --example odd_texts -- [BYTES] [PART]` (default
//! 4,000,000; all texts, or those that contain `PART`). The last column is the time relative to
//! source code.

use std::time::Instant;

use fronts::FRONTS;

#[path = "forms/fronts.rs"]
mod fronts;

/// Source code for comparison.
const PLAIN: &str = include_str!("../../engine/src/planner.rs");

const RUNS: usize = 3;

/// Words that secrets begin with or follow, and near misses.
const PARTS: &[&str] = &[
    "AKIA",
    "ghp_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "hooks.slack.com/services/",
    "AIza",
    "GOCSPX-",
    "ya29.",
    "sk-ant-",
    "sk-proj-",
    "sk-",
    "sk_live_",
    "whsec_",
    "npm_",
    "pypi-",
    "hf_",
    "SG.",
    "dop_v1_",
    "hvs.",
    "eyJ",
    "eyJhbGciOiJIUzI1NiJ9.",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----END ",
    "-----END PRIVATE KEY-----",
    "password",
    "password=",
    "password: ",
    "password = \"",
    "passwd:",
    "pwd",
    "token",
    "token=",
    "token: a b",
    "secret",
    "secret: ",
    "a_secret_of_a",
    "credential",
    "api_key",
    "api_key=\"",
    "apikey(",
    "_key=",
    "access_key ",
    "Authorization: ",
    "authorization: bearer ",
    "Bearer ",
    "Cookie: ",
    "Cookie: a=b; ",
    "Set-Cookie: ",
    "kind: Secret",
    "kind: Secret\n",
    "kind\":\"Secret\"",
    "stringData:\n",
    "data:\n  a: b\n",
    "postgres://",
    "://a:",
    "://a:b",
    "https://a:b@",
    "mysql -p",
    "mysql ",
    "curl -u ",
    "curl -u a:",
    "--password ",
    "--token=",
    "-u ",
    "AccountKey=",
    "SharedAccessKey=",
    "machine a login b ",
    "login ",
    "host:1:a:b:",
    "localhost:5432:",
    "identified by ",
    "sshpass -p ",
    "docker login -p ",
    "auth\":\"",
    "\"auth\": \"",
    "X-Api-Key: ",
    "x-amz-",
    "Signature=",
    "sig=",
    "&sig=",
    "password\\\": \\\"",
    "password='",
    "password: |",
    "password: |\n",
    " password: >\n  ",
    "password=\"\"\"",
    "<password a=\"",
    "<key>password</key>\n<string>",
    "echo abcdef1 | sudo ",
    "setenv a_token ",
    "requirepass ",
    "auth=(\"a\", ",
    "otpauth://a?",
    "Private-Lines: 1\n",
    "password<",
    "<password>",
    "name: token, value: ",
    "PGPASSWORD=",
    "secret(",
    "token := ",
    "token: String = ",
    "token\n\n",
    "aB3+Qz9/xY7k",
    "aB3xQz9YxY7k ",
    "aB3xQz9YxY7kLmN4pQ5rS6tU7vW8xY9z ",
    "MIIEpAIBAAKCAQEA",
    "0123456789abcdef",
    "-",
    "=",
    "\\",
    "\"",
    "_",
    ":",
    "a:b:c:d:",
    "p\0a\0s\0s\0",
    "password=\0",
    "\0",
    "\n",
    " ",
    "/",
    "é",
];

/// Separators between two of them.
const BETWEEN: &[&str] = &["", " ", "\n", "a", "=", "q8Zx61LmP0vTr7Ws\n"];

fn main() {
    let bytes = std::env::args().nth(1).map_or(Ok(4_000_000), |text| text.parse());
    let bytes: usize = bytes.expect("the size in bytes");
    let plain = PLAIN.repeat(bytes / PLAIN.len() + 1)[..bytes].to_owned();
    // Compiles all patterns.
    let parts = [PARTS, FRONTS].concat();
    drop(foveal_redaction::redact(parts.concat().as_bytes()));
    let of_plain = seconds(&plain);
    println!("{bytes} bytes each; source code takes {of_plain:.3} s\n");
    println!("{:<44}{:>9}{:>9}", "", "seconds", "factor");
    let wanted = std::env::args().nth(2).unwrap_or_default();
    let shapes = parts.iter().flat_map(|part| BETWEEN.iter().map(move |between| (part, between)));
    let mut all: Vec<(f64, String)> = shapes
        .map(|(part, between)| {
            let one = format!("{part}{between}");
            if !one.contains(&wanted) {
                return (0.0, one);
            }
            let text = one.repeat(bytes / one.len().max(1));
            (seconds(&text), format!("{one:?}"))
        })
        .collect();
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (seconds, name) in all.iter().take(40) {
        println!("{name:<44}{seconds:>9.3}{:>9.1}", seconds / of_plain);
    }
}

/// Returns the shortest of several runs in seconds, of CPU time if the system reports it: other
/// programs use the machine too.
fn seconds(text: &str) -> f64 {
    let run = || {
        let (begun, used) = (Instant::now(), processor());
        drop(foveal_redaction::redact(text.as_bytes()));
        let used = used.zip(processor()).map(|(before, after)| after - before);
        used.unwrap_or_else(|| begun.elapsed().as_secs_f64())
    };
    (0..RUNS).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Returns the CPU time of this thread in seconds, on Linux.
fn processor() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(told.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}
