//! Secrets in texts as tools print them.

use foveal_redaction::redact;

use crate::generated_values::{Chance, Text};
use crate::rates::PARTS;

/// The prefix of a line by its number, for each format of tools.
type Front = (&'static str, fn(usize) -> String);

const FRONTS: &[Front] = &[
    ("as it is", |_| String::new()),
    ("read", |line| format!("{line}→")),
    ("read, aligned", |line| format!("{line:>6}→")),
    ("every tenth", |line| if line % 10 == 1 { format!("{line}→") } else { String::new() }),
    ("cat -n", |line| format!("{line:>6}\t")),
    ("grep -n", |line| format!("{line}:")),
    ("grep -n, context", |line| format!("{line}{}", if line == 2 { ':' } else { '-' })),
    ("grep -rn", |line| format!("a-1/b.yml:{line}:")),
    ("grep -rn, context", |line| {
        let mark = if line == 2 { ':' } else { '-' };
        format!("a-1/b.yml{mark}{line}{mark}")
    }),
    ("grep -r", |_| "./b.yml:".to_owned()),
    ("grep -r, context", |line| format!("./b.yml{}", if line == 2 { ':' } else { '-' })),
    ("editor", |line| format!("{line:04}| ")),
    ("bat", |line| format!("{line:>4}   │ ")),
    ("added", |_| "+".to_owned()),
    ("removed", |_| "-".to_owned()),
    ("added, context", |line| if line < 2 { " ".to_owned() } else { "+".to_owned() }),
    ("diff", |_| "> ".to_owned()),
    ("edit", |line| format!("{line:>5} + ")),
    ("edit, removed, context", |line| {
        if line < 2 { "    1   ".to_owned() } else { "      - ".to_owned() }
    }),
    ("read of a difference", |line| format!("{line}→+")),
    ("grep of a difference", |line| format!("{line}:-")),
    ("difference of what was read", |line| format!("+{line:>4}→")),
];

/// Adds the prefix to each line of the text.
fn shown(text: &str, front: fn(usize) -> String) -> String {
    let line = |(at, line): (usize, &str)| format!("{}{line}", front(at + 1));
    text.split_inclusive('\n').enumerate().map(line).collect()
}

fn stored(text: &str) -> String {
    let bytes = redact(text.as_bytes()).map_or_else(|| text.into(), |redacted| redacted.bytes);
    String::from_utf8(bytes).expect("it stays text")
}

/// Texts whose secret is recognised by another line, and single-line forms that depend on the
/// beginning of the line.
const OVER_LINES: &[&str] = &[
    "- name: DB_PASSWORD\n  value: \"<<!pw>>\"\n",
    "env:\n    - name: API_TOKEN\n      value: <<!alnum:24>>\n",
    "- key: DB_PASSWORD,\n  value: <<!pw>>\n",
    "password: >-\n  <<!word>>\n",
    "a:\n  token: |\n    <<!alnum:36>>\n  b: 1\n",
    "password =\n    \"<<!pw>>\"\n",
    "password:\n  \"<<!pw>>\"\n",
    "<key>password</key>\n<string><<!pw>></string>\n",
    "<auth-user-pass>\nme\n<<!pw>>\n</auth-user-pass>\n",
    "machine a.example\n  login me\n  password <<!pw>>\n",
    "curl -X POST \\\n  -u me:<<!pw>> \\\n  https://a.example\n",
    "kind: Secret\ndata:\n  a: <<!encoded:20>>\n  b: <<!encoded:20>>\n",
    "stringData:\n  a: <<!word>>\nkind: Secret\n",
    "{\"kind\": \"Secret\",\n \"data\": {\n  \"a\": \"<<!encoded:20>>\"\n }}\n",
    "[\"tool\", \"--token\",\n  \"<<!alnum:32>>\"]\n",
    "headers = {\"Authorization\":\n  \"Bearer <<!alnum:40>>\"}\n",
    "Private-Lines: 2\n<<!b64:64>>\n<<!b64:40>>\nPrivate-MAC: 1\n",
    "=====BEGIN OPENSSH PRIVATE KEY=====\n<<!b64:70>>\n",
    "=====BEGIN EC PRIVATE KEY=====\n<<!b64:64>>\n<<!b64:24>>=\n=====END EC PRIVATE KEY=====\n",
    "<<!b64:64>>\n<<!b64:64>>\n<<!b64:64>>\n<<!b64:20>>=\n",
    "# of the test server\nhost:5432:db:user:<<!pw>>\n",
];

#[test]
fn what_stands_in_front_of_lines_hides_no_secret() {
    let mut in_clear = Vec::new();
    for (name, front) in FRONTS {
        for form in OVER_LINES {
            let Text { text, secrets } = Chance(7).text(form);
            let kept = stored(&shown(&text, *front));
            assert_eq!(kept.lines().count(), text.lines().count(), "{name}: {kept}");
            if secrets.iter().any(|secret| kept.contains(secret.as_str())) {
                in_clear.push(format!("{name}: {kept}"));
            }
        }
    }
    assert!(in_clear.is_empty(), "{}: {}", in_clear.len(), in_clear.join("\n"));
}

/// All forms are judged as in plain texts.
#[test]
fn shown_lines_are_told_as_well_as_plain_ones() {
    const MORE_IN_CLEAR_MAX: usize = 1;
    let mut plain = 0;
    for (name, front) in FRONTS {
        let (mut in_clear, mut removed) = (Vec::new(), Vec::new());
        for (_, planted, harmless) in PARTS {
            for form in planted {
                let Text { text, secrets } = Chance(3).text(form);
                // Context lines stand beside the hits.
                if name.ends_with("context") && text.lines().count() < 2 {
                    continue;
                }
                let kept = stored(&shown(&text, *front));
                if secrets.iter().any(|secret| kept.contains(secret.as_str())) {
                    in_clear.push(kept);
                }
            }
            for form in harmless {
                let text = shown(&Chance(3).text(form).text, *front);
                let kept = stored(&text);
                if kept != text {
                    removed.push(kept);
                }
            }
        }
        if *name == FRONTS[0].0 {
            plain = in_clear.len();
        }
        assert!(in_clear.len() <= plain + MORE_IN_CLEAR_MAX, "{name}: {in_clear:#?}");
        assert!(removed.is_empty(), "{name}: {removed:#?}");
    }
}

#[test]
fn both_texts_of_a_difference_are_read() {
    let text = "@@ -1,2 +1,2 @@\n - name: DB_PASSWORD\n-  value: \"falcon57!a\"\n\
                +  value: \"hunter50!b\"\n";
    let note = "[secret removed: password]";
    let expected = text.replace("falcon57!a", note).replace("hunter50!b", note);
    assert_eq!(stored(text), expected);
}

#[test]
fn numbers_stay_where_a_secret_is_removed() {
    let text = "7→a:\n8→  password: >-\n9→    falcon57\n10→b: 1\n";
    assert_eq!(stored(text), text.replace("falcon57", "[secret removed: password]"));
    let text = "b.yml-7-- name: DB_PASSWORD\nb.yml:8:  value: falcon57!a\nb.yml-9-- name: B\n";
    assert_eq!(stored(text), text.replace("falcon57!a", "[secret removed: password]"));
    for harmless in [
        "1→- name: DB_PASSWORD_FILE\n2→  value: \"/run/secrets/db1\"\n",
        "1:- name: DB_PASSWORD\n2:  valueFrom:\n3:    secretKeyRef: a1-b2\n",
        "+password: |\n+  See chapter 2.\n b: 1\n",
        "- name: LEVEL\n- value: falcon57!a\n",
        "10:15:42 password reset asked\n10:15:43 value: falcon57!a\n",
    ] {
        assert_eq!(stored(harmless), harmless);
    }
}
