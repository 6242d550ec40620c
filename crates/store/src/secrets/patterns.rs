//! What secrets look like, as data. The kinds are those that gitleaks' public rules name; the
//! forms are from the documentation of who issues them.

/// One kind of secret.
pub(super) struct Pattern {
    /// What it is, for the note in its place.
    pub(super) kind: &'static str,
    /// What it begins with: the form is tried at these words only. ASCII, in either case.
    pub(super) words: &'static [&'static str],
    /// Whether its word is a whole one, or may be the end of a longer one.
    pub(super) beginning: Beginning,
    /// What it looks like from the word on; its first group is the secret, or else all of it.
    /// Of what it may stretch over without an end, none can be had from a later word again:
    /// otherwise a file of such words would be read as often as it has some.
    pub(super) form: &'static str,
    /// What else has to be so.
    pub(super) proof: Proof,
}

/// What may stand before the word of a secret.
#[derive(PartialEq)]
pub(super) enum Beginning {
    /// No letter, digit or underscore.
    Whole,
    /// Anything.
    Anywhere,
}

/// What makes something in the form of a secret one.
pub(super) enum Proof {
    /// Nothing more: nothing else has this form.
    Form,
    /// It looks like chance, not like a word, a name or a placeholder.
    Random,
    /// The same of what is not in quotes, where names and calls of code stand too.
    RandomWord,
    /// One of the values in it, behind `=`, looks like chance.
    RandomPart,
    /// It is no placeholder: people choose words where this stands.
    Chosen,
}

/// A token that begins with its word.
const fn token(kind: &'static str, words: &'static [&'static str], form: &'static str) -> Pattern {
    Pattern { kind, words, beginning: Beginning::Whole, form, proof: Proof::Form }
}

/// All kinds. Where two overlap, the kind of the one that begins first is noted.
pub(super) static PATTERNS: [Pattern; 36] = [
    Pattern {
        kind: "private key",
        words: &["-----begin"],
        beginning: Beginning::Anywhere,
        // A block, or what is there of one that was cut.
        form: r"(?s-u)^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-{1,4}[^-])*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:[\sA-Za-z0-9+/=]|\\[rn])*)",
        proof: Proof::Form,
    },
    token(
        "AWS access key",
        &["akia", "asia", "abia", "acca"],
        r"(?-u)^(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    ),
    token(
        "GitHub token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"(?-u)^gh[pousr]_[A-Za-z0-9]{36,}",
    ),
    token("GitHub token", &["github_pat_"], r"(?-u)^github_pat_[A-Za-z0-9_]{36,}"),
    token(
        "GitLab token",
        &["glpat-", "gldt-", "glrt-", "glcbt-"],
        r"(?-u)^gl(?:pat|dt|rt|cbt)-[A-Za-z0-9_.-]{20,}",
    ),
    token(
        "Slack token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxe.", "xoxs-", "xoxr-", "xapp-"],
        r"(?-u)^(?:xox[abeprs]|xapp)[-.][A-Za-z0-9.-]{10,}",
    ),
    token(
        "Slack webhook",
        &["hooks.slack.com/"],
        r"(?-u)^(?i:hooks\.slack\.com)/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})",
    ),
    token("Google API key", &["aiza"], r"(?-u)^AIza[A-Za-z0-9_-]{35}"),
    token("Google client secret", &["gocspx-"], r"(?-u)^GOCSPX-[A-Za-z0-9_-]{28}"),
    token("Google access token", &["ya29."], r"(?-u)^ya29\.[A-Za-z0-9_-]{20,}"),
    token("Anthropic API key", &["sk-ant-"], r"(?-u)^sk-ant-[A-Za-z0-9_-]{20,}"),
    token(
        "OpenAI API key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"],
        r"(?-u)^sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}",
    ),
    Pattern {
        kind: "API key",
        words: &["sk-"],
        beginning: Beginning::Whole,
        form: r"(?-u)^sk-[A-Za-z0-9]{32,}\b",
        proof: Proof::Random,
    },
    token(
        "Stripe key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        r"(?-u)^[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    ),
    token("Stripe webhook secret", &["whsec_"], r"(?-u)^whsec_[A-Za-z0-9+/=]{24,}"),
    token("npm token", &["npm_"], r"(?-u)^npm_[A-Za-z0-9]{36}\b"),
    token("PyPI token", &["pypi-ageichlwas5vcmc"], r"(?-u)^pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}"),
    token("Hugging Face token", &["hf_"], r"(?-u)^hf_[A-Za-z0-9]{30,}\b"),
    token("SendGrid key", &["sg."], r"(?-u)^SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    token(
        "DigitalOcean token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"(?-u)^do[opr]_v1_[a-f0-9]{64}",
    ),
    token("Docker token", &["dckr_pat_"], r"(?-u)^dckr_pat_[A-Za-z0-9_-]{27,}"),
    token("Vault token", &["hvs.", "hvb."], r"(?-u)^hv[sb]\.[A-Za-z0-9_-]{24,}"),
    token("Databricks token", &["dapi"], r"(?-u)^dapi[a-f0-9]{32}(?:-\d)?\b"),
    token(
        "Shopify token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"(?-u)^shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b",
    ),
    token("Linear key", &["lin_api_"], r"(?-u)^lin_api_[A-Za-z0-9]{40}"),
    token("Groq key", &["gsk_"], r"(?-u)^gsk_[A-Za-z0-9]{40,}"),
    token("xAI key", &["xai-"], r"(?-u)^xai-[A-Za-z0-9]{60,}"),
    token("Age key", &["age-secret-key-1"], r"(?-u)^AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    Pattern {
        kind: "JSON web token",
        words: &["eyj"],
        beginning: Beginning::Whole,
        form: r"(?-u)^eyJ[A-Za-z0-9_]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        proof: Proof::Form,
    },
    Pattern {
        kind: "Azure storage key",
        words: &["accountkey=", "sharedaccesskey="],
        beginning: Beginning::Whole,
        form: r"(?i-u)^(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,}={0,2})",
        proof: Proof::Form,
    },
    Pattern {
        kind: "authorization header",
        words: &["authorization"],
        beginning: Beginning::Whole,
        form: r#"(?i-u)^authorization["']?\s{0,4}[:=,]\s{0,4}["'`]?(?:bearer|basic|token)\s{1,4}([A-Za-z0-9+/=._~-]{16,})"#,
        proof: Proof::Random,
    },
    Pattern {
        kind: "password in an address",
        words: &["://"],
        beginning: Beginning::Anywhere,
        form: r#"(?i-u)^://[^\s:/@?#"'<>{}$()\[\]*]{0,64}:([^\s:/@"'<>{}$()\[\]*]{3,128})@[A-Za-z0-9\[]"#,
        proof: Proof::Form,
    },
    Pattern {
        kind: "password of an option",
        words: &["--pass", "--token", "--secret", "--api", "--auth-token", "--access-"],
        beginning: Beginning::Anywhere,
        // In a list of arguments the value is one of its own.
        form: r#"(?i-u)^--(?:pass(?:word|wd|phrase)?|token|secret|api[-_]?(?:key|token)|auth-token|access-(?:token|key)|secret-(?:access-)?key)(?:[ \t]{1,4}|["'],?\s{1,4})["'`]?([A-Za-z0-9+/=_.~!@%^*\#-]{8,150})(?:[\s;&|"'`)<>\\]|$)"#,
        proof: Proof::RandomWord,
    },
    Pattern {
        kind: "password of a user",
        words: &["curl"],
        beginning: Beginning::Whole,
        // The rest of its line, and of those that it goes on in.
        form: r#"(?-u)^curl(?:[\s"',](?:[^\n]|\\\r?\n){0,300}?)??[\s"'](?:-u|--user)(?:[ \t=]{0,4}|["'],?\s{0,4})["'`]?[^\s:"'`$<>{}()\[\]|;&-][^\s:"'`$<>{}()\[\]|;&]{0,63}:([^\s:"'`$<>{}()\[\]]{0,64}[A-Za-z][^\s:"'`$<>{}()\[\]]{1,64})"#,
        proof: Proof::Chosen,
    },
    Pattern {
        kind: "cookie",
        words: &["cookie"],
        beginning: Beginning::Whole,
        // All of the header; where a value of it may stand, nothing else of this form begins.
        form: r#"(?i-u)^cookie["']?(?:\s{0,4}[:,]\s{0,4}|[ \t]{1,4})["'`]?([A-Za-z0-9_.%$-]{1,64}=[^\s;:,"'`<>]*(?:;[ \t]?[A-Za-z0-9_.%$-]{1,64}=[^\s;:,"'`<>]*)*)"#,
        proof: Proof::RandomPart,
    },
    Pattern {
        kind: "password",
        words: &[
            "password",
            "passwd",
            "passphrase",
            "secret",
            "apikey",
            "api_key",
            "api-key",
            "access_key",
            "accesskey",
            "access-key",
            "auth_token",
            "authtoken",
            "auth-token",
            "access_token",
            "accesstoken",
            "access-token",
            "private_key",
            "privatekey",
            "refresh_token",
            "credential",
            "_token",
            "_pwd",
            "pwd=",
        ],
        beginning: Beginning::Anywhere,
        // A value right behind `=`, as in commands and addresses, a quoted one, or one that is
        // all of the rest of its line but for a remark.
        form: r#"(?i-u)^(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?key|refresh_token|credential|_token|pwd)[A-Za-z0-9_.-]{0,24}(?:=([A-Za-z0-9+/=_.~!@%^*\#-]{8,150})(?:[\s;|"'`<>\\]|&(?:[\s&]|[\w.-]{1,40}=)|&?$)|["']?\s{0,8}(?::=|=>|[:=])\s{0,8}(?:"([^"\s\\]{8,150})"|'([^'\s\\]{8,150})'|`([^`\s\\]{8,150})`|([A-Za-z0-9+/=_.~!@%^&*#-]{8,150})[ \t\r]{0,4}(?:\n|$|\\n|[ \t](?:\#|//))))"#,
        proof: Proof::RandomWord,
    },
];
