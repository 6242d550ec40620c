//! The detection rules as data: the keywords of a secret, its pattern there, and further
//! conditions. The forms are from the documentation of the issuers; the kinds are those of
//! gitleaks' public rules.

/// The rule for one kind of secret.
pub(crate) struct SecretRule {
    /// The name of the kind, for the note.
    pub(crate) kind: &'static str,
    /// The keywords at which the pattern is tried. ASCII; matched in either case.
    pub(crate) keywords: &'static [&'static str],
    /// A regular expression over bytes. Its first participating group is the secret, or else the
    /// whole match. It may read the same place again from a later keyword only within a bounded
    /// distance: otherwise a text of keywords would take quadratic time.
    pub(crate) pattern: &'static str,
    /// The part of the text on which the pattern is tried.
    pub(crate) scope: MatchScope,
    /// A condition on the value.
    pub(crate) check: ValueCheck,
}

/// The part of a text on which a pattern is tried.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum MatchScope {
    /// From the keyword on, which is case-sensitive and part of the secret; the pattern matches the
    /// rest. No letter, digit or underscore precedes it.
    Token,
    /// From the keyword on, which no letter, digit or underscore precedes.
    Word,
    /// From the keyword on.
    Anywhere,
    /// The command that begins with the keyword, with its continuation lines, once.
    Command,
    /// The line around the keyword.
    Line,
    /// The YAML or JSON document around the keyword, once.
    Document,
    /// The text before the keyword, once, and the line of the keyword.
    Before,
}

/// A condition on the value that a pattern found.
#[derive(Clone, Copy)]
pub(crate) enum ValueCheck {
    /// None: the form is unique.
    Form,
    /// It does not consist of `x` or other fillers.
    NoFiller,
    /// It looks random, and is not a word, a name or a placeholder.
    Random,
    /// One of the values in it, after `=`, looks random.
    RandomPart,
    /// It is not a placeholder: people choose words here.
    UserChoice,
    /// As `UserChoice`, and not a natural word.
    MixedChoice,
    /// It is the base64 of a name and a password, or looks random.
    Login,
    /// The first group is a name, the second a value that is a secret under this name.
    NamedValue,
    /// All values that the groups of this pattern find in it are secrets, except placeholders.
    EachValue(&'static str),
}

use MatchScope::{Anywhere, Before, Command, Document, Line, Token, Word};
use ValueCheck::{
    EachValue, Form, Login, MixedChoice, NamedValue, NoFiller, Random, RandomPart, UserChoice,
};

const fn rule(
    kind: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    scope: MatchScope,
    check: ValueCheck,
) -> SecretRule {
    SecretRule { kind, keywords, pattern, scope, check }
}

/// Creates the rule for a token with a unique prefix.
const fn token(
    kind: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> SecretRule {
    rule(kind, keywords, pattern, Token, NoFiller)
}

/// Creates the rule for a token whose prefix is short, or a word of code.
const fn random_token(
    kind: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> SecretRule {
    rule(kind, keywords, pattern, Token, Random)
}

/// The kind of a secret that is recognised by its name.
pub(crate) const PASSWORD_KIND: &str = "password";

/// The kind of the value of an option.
pub(crate) const OPTION_PASSWORD_KIND: &str = "password of an option";

/// The kind of a key in lines of base64.
pub(crate) const PRIVATE_KEY_KIND: &str = "private key";

/// All rules. For overlapping secrets, the note names the kind of the one that begins first.
#[rustfmt::skip]
pub(crate) static RULES: &[SecretRule] = &[
    // Tokens of providers.
    token("AWS access key", &["AKIA", "ASIA", "ABIA", "ACCA"], r"[A-Z2-7]{16}\b"),
    token("AWS API key", &["ABSKQmVkcm9ja0FQSUtleS"], r"[\w+/=-]{40,}"),
    token("NVIDIA key", &["nvapi-"], r"[\w-]{60,}"),
    random_token("Netlify token", &["nfp_"], r"[[:alnum:]]{36,}"),
    token("Dynatrace token", &["dt0c01.", "dt0s01.", "dt0s16."], r"[\w.-]{80,}"),
    token("GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"[[:alnum:]]{36,}"),
    token("GitHub token", &["github_pat_"], r"[\w-]{36,}"),
    token("GitLab token", &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-", "glffct-"], r"[\w.-]{20,}"),
    token("Slack token", &["xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxe.", "xoxs-", "xoxr-", "xoxc-", "xoxd-", "xapp-"], r"[\w.-]{10,}"),
    token("Google API key", &["AIza"], r"[\w-]{35,}"),
    token("Google client secret", &["GOCSPX-"], r"[\w-]{28,}"),
    token("Google access token", &["ya29."], r"[\w-]{20,}"),
    random_token("Google refresh token", &["1//0"], r"[\w-]{30,}"),
    token("Firebase key", &["APA91b"], r"[\w-]{100,}"),
    token("Anthropic API key", &["sk-ant-"], r"[\w-]{20,}"),
    token("OpenAI API key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"], r"[\w-]{20,}"),
    random_token("API key", &["sk-"], r"[[:alnum:]]{32,}"),
    token("Discord token", &["mfa."], r"[\w-]{80,}"),
    token("Stripe key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_"], r"[[:alnum:]]{16,}"),
    token("Stripe webhook secret", &["whsec_"], r"[\w+/=-]{24,}"),
    token("npm token", &["npm_"], r"[[:alnum:]]{36}\b"),
    token("PyPI token", &["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZ"], r"[\w-]{50,}"),
    token("Hugging Face token", &["hf_", "api_org_"], r"[[:alnum:]]{30,}"),
    token("SendGrid key", &["SG."], r"[\w-]{22}\.[\w-]{43}"),
    token("DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"[[:xdigit:]]{64}\b"),
    token("Docker token", &["dckr_pat_", "dckr_oat_"], r"[\w-]{27,}"),
    token("Vault token", &["hvs.", "hvb.", "hvr."], r"[\w-]{24,}"),
    token("Databricks token", &["dapi"], r"[[:xdigit:]]{32}\b"),
    token("Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"[[:xdigit:]]{32}\b"),
    token("Linear key", &["lin_api_", "lin_oauth_"], r"[[:alnum:]]{40,}"),
    token("Groq key", &["gsk_"], r"[[:alnum:]]{40,}"),
    token("xAI key", &["xai-"], r"[[:alnum:]]{60,}"),
    token("Replicate token", &["r8_"], r"[[:alnum:]]{37}\b"),
    token("Perplexity key", &["pplx-"], r"[[:alnum:]]{40,}"),
    token("LangSmith key", &["lsv2_pt_", "lsv2_sk_"], r"[\w-]{32,}"),
    token("Age key", &["AGE-SECRET-KEY-1", "AGE-PLUGIN-"], r"[A-Z0-9]{58,}"),
    token("Pulumi token", &["pul-"], r"[[:xdigit:]]{40}\b"),
    token("Doppler token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."], r"[\w.-]{40,}"),
    token("Fly token", &["fo1_", "fm1_", "fm2_", "fm1r_"], r"[\w+/=-]{40,}"),
    token("Grafana token", &["glsa_", "glc_eyJ"], r"[\w+/=-]{32,}"),
    token("New Relic key", &["NRAK-", "NRII-", "NRJS-"], r"[[:alnum:]]{19,}"),
    random_token("Notion token", &["ntn_", "secret_"], r"[[:alnum:]]{43,}"),
    token("Sentry token", &["sntrys_", "sntryu_"], r"[\w+/=-]{40,}"),
    token("Square token", &["sq0atp-", "sq0csp-", "EAAAE"], r"[\w-]{22,}"),
    random_token("Mailgun key", &["key-"], r"[[:xdigit:]]{32}\b"),
    random_token("Meta token", &["EAAC", "EAAB", "EAAG", "EAAJ", "EAAM", "EAAD"], r"[[:alnum:]]{60,}"),
    random_token("Dropbox token", &["sl."], r"[\w-]{100,}"),
    token("Figma token", &["figd_", "figo_"], r"[\w-]{40,}"),
    token("PlanetScale token", &["pscale_pw_", "pscale_tkn_", "pscale_oauth_"], r"[\w.-]{32,}"),
    token("RubyGems key", &["rubygems_"], r"[[:xdigit:]]{48}\b"),
    token("Supabase token", &["sbp_", "sb_secret_"], r"[\w-]{30,}"),
    token("Tailscale key", &["tskey-"], r"[\w-]{20,}"),
    token("1Password token", &["ops_eyJ"], r"[\w+/=-]{100,}"),
    token("Postman key", &["PMAK-"], r"[\w-]{50,}"),
    token("Atlassian token", &["ATATT3", "ATCTT3", "ATBB"], r"[\w+/=-]{28,}"),
    token("CircleCI token", &["CCIPAT_", "CCIPRJ_"], r"[\w-]{40,}"),
    token("Buildkite token", &["bkua_"], r"[[:xdigit:]]{40}\b"),
    token("Sonar token", &["squ_", "sqp_", "sqa_"], r"[[:xdigit:]]{40}\b"),
    token("Artifactory key", &["AKCp", "cmVmdGtuOj"], r"[[:alnum:]]{50,}"),
    token("OpenShift token", &["sha256~"], r"[\w-]{40,}"),
    token("Heroku key", &["HRKU-"], r"[\w-]{36,}"),
    token("Sourcegraph token", &["sgp_"], r"[\w-]{40,}"),
    token("Razorpay key", &["rzp_live_"], r"[[:alnum:]]{14,}"),
    token("Shippo token", &["shippo_live_", "shippo_test_"], r"[[:xdigit:]]{40}\b"),
    token("Typeform token", &["tfp_"], r"[\w.-]{40,}"),
    token("Contentful token", &["CFPAT-"], r"[\w-]{40,}"),
    token("Prefect key", &["pnu_", "pnb_"], r"[[:alnum:]]{36,}"),
    token("ReadMe key", &["rdme_"], r"[[:alnum:]]{60,}"),
    token("Yandex token", &["y0_", "AQVN"], r"[\w-]{35,}"),
    token("Alibaba key", &["LTAI"], r"[[:alnum:]]{12,24}\b"),
    token("Brevo key", &["xkeysib-", "xsmtpsib-"], r"[\w-]{64,}"),
    token("Flutterwave key", &["FLWSECK-", "FLWSECK_TEST-"], r"[\w-]{20,}"),
    token("EasyPost key", &["EZAK", "EZTK"], r"[[:alnum:]]{54,}"),
    token("Plaid token", &["access-production-", "access-sandbox-", "access-development-"], r"[\w-]{36,}"),
    token("Clojars token", &["CLOJARS_"], r"[[:xdigit:]]{60}\b"),
    token("Infracost key", &["ico-"], r"[[:alnum:]]{32}\b"),
    token("PagerDuty key", &["pdus+"], r"[[:alnum:]]{20,}"),
    token("PostHog key", &["phx_"], r"[[:alnum:]]{40,}"),
    token("Duffel token", &["duffel_live_", "duffel_test_"], r"[\w-]{43,}"),
    token("Cloudflare token", &["v1.0-"], r"[\w-]{140,}"),
    random_token("Resend key", &["re_"], r"[\w-]{32,36}\b"),
    random_token("LaunchDarkly key", &["sdk-", "api-"], r"[\w-]{36}\b"),
    token("JSON web token", &["eyJ"], r"\w{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
    rule("Azure client secret", &["7Q~", "8Q~", "9Q~"], r"[789]Q~[\w.-]{31,34}\b", Anywhere, NoFiller),
    rule("Terraform token", &[".atlasv1."], r"\.atlasv1\.[\w-]{60,}", Anywhere, NoFiller),
    rule("Telegram token", &[":aa"], r":(AA[\w-]{33})\b", Anywhere, Random),
    // The id of a bot in base64, a time, and a signature over both.
    rule("Discord token", &["discord", "bot"], r#"[\w. -]{0,40}["'(]?\s{0,4}[:=(]\s{0,4}["']?([MNO][\w-]{22,29}\.[\w-]{6,7}\.[\w-]{27,45})"#, Word, Random),
    // Webhooks.
    rule("Slack webhook", &["hooks.slack.com/"], r"(?i:hooks\.slack\.com)/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})", Word, Form),
    rule("Discord webhook", &["/api/webhooks/"], r"(?i:/api/webhooks)/[0-9]{10,24}/([\w-]{50,})", Anywhere, Form),
    rule("Teams webhook", &["webhook.office.com/"], r"(?i:webhook\.office\.com)/webhookb2/([\w@/-]{60,})", Anywhere, Form),
    rule("webhook", &["hooks.zapier.com/", "hook.us1.make.com/", "hook.eu1.make.com/", "outlook.office.com/webhook/"],
        r"(?i:hooks\.zapier\.com/hooks/catch|hook\.(?:us|eu)1\.make\.com|outlook\.office\.com/webhook)/([\w@/-]{16,})", Word, Form),
    // Headers.
    rule("authorization header", &["authorization"], r#"(?i)authorization\\?["']?\]?\s{0,4}[:=,]\s{0,4}\\?["'`]?(?:[a-z][a-z0-9-]{1,20}\s{1,4})?(?:token=)?["']?([\w+/=.~-]{16,})"#, Word, Random),
    rule("authorization header", &["basic "], r"(?i)basic\s{1,4}([A-Za-z0-9+/]{8,}={0,2})", Word, Login),
    rule("authorization header", &["bearer "], r"(?i)bearer\s{1,4}([\w+/=.~-]{16,})", Word, Random),
    // The whole header; no other match begins within its values.
    rule("cookie", &["cookie"], r#"(?i)cookie["']?(?:\s{0,4}[:,]\s{0,4}|[ \t]{1,4})["'`]?([\w.%$-]{1,64}=[^\s;:,"'`<>\\]*(?:;[ \t]?[\w.%$-]{1,64}=[^\s;:,"'`<>\\]*)*)"#, Word, RandomPart),
    rule("login of a registry", &["\"auth\"", "_auth=", "_auth =", "_auth\"", "_password=", "_password ="], r#"\\?"?_?(?:auth|password)\\?"?\s{0,8}[:=]\s{0,8}\\?"?([\w+/-]{8,}={0,2})"#, Anywhere, Login),
    // Addresses.
    rule("signature", &["sig=", "signature=", "x-amz-security-token=", "hmac="], r"(?i)(?:sig|signature|x-amz-security-token|hmac)=([\w%+/.~-]{16,}={0,2})", Word, Random),
    rule("key in an address", &["?key=", "&key=", "?auth=", "&auth=", "?code=", "&code=", "?sid=", "&sid="], r"(?i)[?&](?:key|auth|code|sid)=([\w%+/.~-]{16,}={0,2})", Anywhere, Random),
    rule("password in an address", &["://"], r#"://[^\s:/@?#"'<>{}$()\[\]*]{0,64}:([^\s:/@"'<>{}$()\[\]*]{3,128})@[A-Za-z0-9\[]"#, Anywhere, UserChoice),
    rule("token in an address", &["://"], r"://([\w-]{20,255})(?::x-oauth-basic|:)?@[A-Za-z0-9]", Anywhere, Random),
    rule("password in an address", &["jdbc:oracle:"], r#"(?i)jdbc:oracle:[a-z]{2,8}:[^\s/@"']{1,64}/([^\s/@"']{3,120})@"#, Word, UserChoice),
    rule("secret of one-time passwords", &["otpauth://"], r#"(?i)otpauth://[^\s"'<>]{0,80}?[?&]secret=([A-Z2-7]{16,256})"#, Word, Form),
    rule("Azure storage key", &["accountkey=", "sharedaccesskey="], r"(?i)(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,}={0,2})", Word, Form),
    // Commands.
    rule("password of a user", &["--auth", "--user", "--proxy-user", "--creds"], r#"--(?:auth|user|proxy-user|creds)(?:[ \t=]{1,4}|["'],?\s{0,4})["'`]?[^\s:"'`$<>{}()\[\]|;&-][^\s:"'`$<>{}()\[\]|;&]{0,63}:([^\s:"'`$<>{}()\[\]]{0,64}[A-Za-z][^\s:"'`$<>{}()\[\]]{1,64})"#, Anywhere, MixedChoice),
    rule("password of a user", &["curl"], r#"curl(?:[\s"',](?:[^\n]|\\\r?\n)*?)??[\s"'](?:-u|--user|-U|--proxy-user)(?:[ \t=]{0,4}|["'],?\s{0,4})["'`]?[^\s:"'`$<>{}()\[\]|;&-][^\s:"'`$<>{}()\[\]|;&]{0,63}:([^\s:"'`$<>{}()\[\]]{0,64}[A-Za-z][^\s:"'`$<>{}()\[\]]{1,64})"#, Command, UserChoice),
    rule("password of a user", &["http ", "https ", "xh ", "smbclient ", "ldapsearch ", "lftp "], r#"\w+[ \t](?:[^\n]*?[ \t])??-(?:[aUu][ \t]{0,2}["']?[^\s:%,"'`$<>{}()\[\]|;&-][^\s:%,"'`$<>{}()\[\]|;&]{0,63}[:%,]|w[ \t]{0,2}["']?)([^\s:"'`$<>{}()\[\]|;&-][^\s"'`$<>{}()\[\]|;&]{5,64})(?:[\s"']|$)"#, Command, MixedChoice),
    rule("password of a command", &["mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mariadb ", "mariadb-dump "], r#"[\w-]+[ \t](?:[^\n]*?[ \t])??-p["']?([^\s"'`$<>{}()\[\]|;&]{0,64}[A-Za-z][^\s"'`<>|;\\]{0,64})"#, Command, UserChoice),
    rule("password of a command",
        &["sshpass ", "redis-cli ", "docker login", "podman login", "helm registry", "sqlcmd ", "mongo ", "mongosh ", "snmpwalk ", "htpasswd ", "rabbitmqctl ", "net use ", "zip ", "7z ", "unzip ", "mosquitto_pub ", "mosquitto_sub ", "cqlsh ", "az login", "ssh-keygen ", "openssl enc", "xfreerdp "],
        r#"(?:(?:sshpass|(?:docker|podman|helm registry|az) login|mongo(?:sh)?|cqlsh|7z)[ \t](?:[^\n]*?[ \t])??-p|(?:redis-cli|snmpwalk)[ \t](?:[^\n]*?[ \t])??-[aA]|snmpwalk[ \t](?:[^\n]*?[ \t])??-c|(?:sqlcmd|(?:un)?zip|mosquitto_[ps]ub)[ \t](?:[^\n]*?[ \t])??-P|ssh-keygen[ \t](?:[^\n]*?[ \t])??-[NP]|openssl enc[ \t](?:[^\n]*?[ \t])??-k|xfreerdp[ \t](?:[^\n]*?[ \t])??/p:|htpasswd[ \t]+-[a-zA-Z]*b[a-zA-Z]*[ \t]+\S{1,80}[ \t]+\S{1,60}|rabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+\S{1,60}|net use[ \t][^\n]*?/user:\S{1,60})[ \t]{0,4}["']?([^\s"'`$<>{}()\[\]|;&-][^\s"'`<>|;&\\]{3,80})"#, Command, MixedChoice),
    rule("password of a command", &["-passin ", "-passout ", "-pass "], r#"-pass(?:in|out)?[ \t]{1,3}["']?pass:([^\s"'`$<>{}()\[\]|;&]{4,80})"#, Anywhere, UserChoice),
    // A word that is piped into a program that reads it as a password.
    rule("password of a command", &["echo "], r#"echo[ \t]+(?:-n[ \t]+)?["']?(?:[\w.-]{1,32}:)?([^\s"'`|$:]{6,80})["']?[ \t]*\|[ \t]*(?:sudo[ \t]+(?:-[A-Za-z]{1,8}[ \t]+){0,3}-[A-Za-z]{0,8}S\b|(?:sudo[ \t]+)?chpasswd\b|[^|\n]*[ \t]--(?:password-stdin|with-token)\b)"#, Command, MixedChoice),
    rule("password of a command", &["sqlplus "], r#"sqlplus[ \t]+(?:-[A-Za-z]{1,8}[ \t]+){0,4}["']?[^\s/@"']{1,64}/([^\s/@"']{3,120})@"#, Command, MixedChoice),
    rule(PASSWORD_KIND, &["env ", "setx ", "setenv ", "set -", "configure set "], r#"(?:ENV|(?i:set(?:x|env|[ \t]-[a-z]{1,4})|configure set))[ \t]{1,4}([\w.-]+)[ \t]{1,4}(?:"([^"\n]+)|'([^'\n]+)|([^\s"'`<>(){}|;][^\n"'`\\]*))"#, Word, NamedValue),
    // Calls and statements.
    rule("password of a user", &["auth=(", "basicauth(", ".login("], r#"(?i)(?:auth=|basicauth|\.login)\([ \t]{0,4}["'][^"'\n]{1,80}["'],[ \t]{0,4}["']([^"'\s]{4,120})["']"#, Anywhere, MixedChoice),
    rule(PASSWORD_KIND, &["define("], r#"(?i)define\(\s{0,2}['"](?:AUTH|SECURE_AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)['"]\s{0,4},\s{0,8}(?:'([^'\n]{20,120})'|"([^"\n]{20,120})")"#, Anywhere, UserChoice),
    rule(PASSWORD_KIND, &["convertto-securestring"], r#"(?i)convertto-securestring\s{1,4}(?:-(?:string|asplaintext|force)\s{1,4}){0,3}(?:"([^"\n$]{4,120})"|'([^'\n]{4,120})')"#, Word, UserChoice),
    rule(PASSWORD_KIND, &["identified by", "with password", "set password"], r#"(?i)(?:identified by(?: password)?|with password|set password)\s{0,2}=?\s{0,2}(?:'([^'\n]{4,120})'|"([^"\n]{4,120})")"#, Word, UserChoice),
    // Lines of settings with a name and a value, separated only by blanks.
    rule(PASSWORD_KIND, &["requirepass ", "masterauth ", "bindpw ", "rootpw ", "enable secret ", "enable password ", "password 0 ", "password 7 ", "secret 0 ", "secret 5 ", "secret 9 "], r#"(?i)(?:requirepass|masterauth|bindpw|rootpw|enable (?:secret|password)|(?:password|secret) [05-9])[ \t]{1,8}(?:[05-9][ \t]{1,4})?["']?([^\s"'`<>{}()\[\]|;&\\]{6,120})"#, Word, MixedChoice),
    // For Redis; the mechanisms of mail servers are in capitals.
    rule(PASSWORD_KIND, &["auth "], r#"AUTH[ \t]{1,4}(?:default[ \t]{1,4})?["']?([^\s"'`<>{}()\[\]|;&$\\]{2,60}[a-z][^\s"'`<>{}()\[\]|;&\\]{2,60})["']{0,3}[ \t]{0,4}(?:[\r\n\\]|$)"#, Word, MixedChoice),
    // For LDIF, in base64.
    rule(PASSWORD_KIND, &["password:: "], r"(?i)password:: {1,4}([a-z0-9+/]{8,}={0,2})(?:[^a-z0-9+/=<:(.,_-]|$)", Anywhere, MixedChoice),
    rule("password of a machine", &["machine ", "machine\t", "default login"], r"(?:machine\s{1,4}[\w.-]{1,120}|default)\s{1,8}(?:login\s{1,4}\S{1,120}\s{1,8})?(?:account\s{1,4}\S{1,120}\s{1,8})?password\s{1,4}(\S{3,200})", Word, UserChoice),
    rule(PASSWORD_KIND, &["<auth-user-pass>"], r"(?i:<auth-user-pass>)\s{0,4}\n[^\n<]{1,120}\n([^\s<]{4,120})", Anywhere, UserChoice),
    rule(PASSWORD_KIND, &["<input"], r#"(?i)<input\s(?:[^<>]*?\s)??(?:type=\\?["']?password\b[^<>]*?\svalue=\\?(?:"([^"<>\n\\]{4,120})|'([^'<>\n\\]{4,120}))|value=\\?(?:"([^"<>\n\\]{4,120})|'([^'<>\n\\]{4,120}))\\?["']\s(?:[^<>]*?\s)??type=\\?["']?password\b)"#, Anywhere, MixedChoice),
    // PostgreSQL's password file: `host:port:database:user:password`.
    rule(PASSWORD_KIND, &[":5432:", ":5433:", ":5434:", ":6432:", ":15432:", ":*:"], r"(?:[^\s:#\\]|\\.)+:(?:543[34]|1?5432|6432|\*):(?:[^\s:\\]|\\.)+:(?:[^\s:\\]|\\.)+:((?:[^\s:\\]|\\.)+)\r?$", Line, UserChoice),
    rule("hash of a password",
        &["$apr1$", "$2y$", "$2a$", "$2b$", "$6$", "$5$", "$1$", "$y$", "$argon2", "$scrypt$", "$pbkdf2", "pbkdf2_sha256$", "{sha}", "{ssha}", "{ssha512}", "scram-sha-256$"],
        r"(?i)(?:\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}|\$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$[56]\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}|\$y\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}|\$argon2(?:id|i|d)\$[A-Za-z0-9=,$+/]{40,}|\$(?:scrypt|pbkdf2[a-z0-9-]{0,12})\$[A-Za-z0-9=,$+/.]{40,}|pbkdf2_sha256\$[0-9]{1,9}\$[A-Za-z0-9]{4,32}\$[A-Za-z0-9+/=]{40,}|\{s?sha(?:512)?\}[A-Za-z0-9+/]{26,}={0,2}|scram-sha-256\$[0-9]{1,9}:[A-Za-z0-9+/=]{8,}\$[A-Za-z0-9+/=:]{40,})", Anywhere, Form),
    // Keys: a whole block, or one that is cut at either end.
    rule(PRIVATE_KEY_KIND, &["-----begin"], r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-{1,4}[^-])*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:[\sA-Za-z0-9+/=]|\\[rn])*)", Anywhere, Form),
    rule(PRIVATE_KEY_KIND, &["-----end"], r#"((?:[A-Za-z0-9+/=]{4,}[ "',;)+\\]*\r?\n[^\nA-Za-z]{0,24})+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)"#, Before, Form),
    rule(PRIVATE_KEY_KIND, &["private-lines:"], r"(?i:private-lines): [0-9]{1,3}\r?\n((?:[A-Za-z0-9+/=]{1,64}\r?\n)+)", Word, Form),
    rule(PRIVATE_KEY_KIND, &["\"d\"", "\"k\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\""], r#""(?:d|k|p|q|dp|dq|qi)"\s{0,4}:\s{0,4}"([\w-]{40,})""#, Anywhere, Random),
    // Manifests of Kubernetes.
    rule("Kubernetes secret", &["kind: secret", "kind: \"secret\"", "kind: 'secret'"],
        r"(?m)^(?:stringD|d)ata:[ \t\r]*\n((?:[ \t]+[^\n]*\n?|\r?\n)+)|^  (?:stringD|d)ata:[ \t\r]*\n((?:   [^\n]*\n?|\r?\n)+)|^    (?:stringD|d)ata:[ \t\r]*\n((?:     [^\n]*\n?|\r?\n)+)", Document,
        EachValue(r#"(?m)^[ \t]*(?:[\w./"'-]+:(?:[ \t]+|\r?$))?["']?([^\n]*?)["']?[ \t\r]*$"#)),
    rule("Kubernetes secret", &["kind\":\"secret\"", "kind\": \"secret\""], r#""(?:stringD|d)ata":\s*\{([^}]*)"#, Document,
        EachValue(r#""[^"]*"\s*:\s*"([^"]*)"#)),
];

/// Words in names that may name a secret.
#[rustfmt::skip]
pub(crate) const NAME_KEYWORDS: &[&str] = &[
    "pass", "pwd", "_pw", "psk", "secret", "token", "credential", "apikey", "api_key", "api-key", "api.key",
    "access_key", "access-key", "accesskey", "private_key", "private-key", "privatekey", "privkey",
    "encryption_key", "encryption-key", "encryptionkey", "encrypt_key", "signing_key", "signing-key",
    "signingkey", "master_key", "master-key", "masterkey", "auth_key", "auth-key", "authkey", "shared_key",
    "sharedkey", "preshared", "app_key", "appkey", "account_key", "service_key", "storage_key", "storagekey",
    "session_key", "sessionkey", "webhook_key", "license_key", "licensekey", "subscription-key",
    "subscriptionkey", "subscription_key", "_key=", "_key:", "_key\"", "_key'", "_key =",
];

/// The class of value that a name announces.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum NameClass {
    /// A password, which a person may have chosen.
    Password,
    /// A key or a token, which programs draw at random.
    Token,
    /// Some key, possibly one of a table.
    Key,
}

/// Patterns over the lower-case words of names, joined by `_`, without [`NAME_SUFFIXES`]. The first
/// match decides.
#[rustfmt::skip]
pub(crate) const NAME_CLASSES: &[(Option<NameClass>, &str)] = &[
    // Properties of a secret: its place, its form, its number.
    (None, r"(?:^|_)(?:address|alg|algorithm|arn|attempts|class|column|count|enabled|endpoint|error|expires|expiry|field|file|filename|format|handler|hint|host|input|kind|label|len|length|limit|link|max|message|min|mode|name|path|pattern|placeholder|policy|prefix|prompt|ref|regex|required|rule|size|suffix|text|title|ttl|type|uri|url)$"),
    (None, r"(?:by|com|sur|over|under|tres|encom|py|sub)pass$"),
    (Some(NameClass::Password), r"(?:password|passwd|passphrase|passwort|passcode|pass|(?:^|_)(?:pwd|psk|pw))$"),
    (None, r"(?:^|_)(?:public|pub|publishable)(?:_|$)"),
    (Some(NameClass::Token), r"(?:access|account|api|app|application|auth|encryption|encrypt|hmac|license|master|pre_?shared|private|priv|service|session|shared|signature|signing|storage|subscription|webhook)_?key|credential|secret|key_?pass|pass_?word|passwd|pass_?phrase|token(?:_|$)|(?:^|_)(?:pwd|psk|pw|pass)(?:_|$)"),
    (None, r"(?:^|_)(?:arrow|bucket|cache|column|composite|config|context|dict|duplicate|enter|field|foreign|group|hash|hot|i18n|index|item|lookup|map|message|object|order|partition|primary|query|row|site|sort|translation|unique)_key$"),
    (Some(NameClass::Key), r"_key$"),
];

/// Suffixes of names that state where the secret is used.
pub(crate) const NAME_SUFFIXES: &str = r"(?:_(?:b64|base64|confirm|confirmation|current|default|dev|development|env|local|new|old|plain|plaintext|prod|production|raw|stage|staging|value|[0-9]+))+$";

/// Names of functions that ask for a secret, compare with one, or convert one.
pub(crate) const QUERY_FUNCTION_NAMES: &str =
    r"^(?i:get|prompt|read|ask|hash|check|verify|validate|compare|find|has|is)[^a-z]";

/// Patterns from the end of a name to its value, in languages, formats and command lines. The value
/// is the only group. `QUOTE` and `STRING` stand for the patterns below.
#[rustfmt::skip]
pub(crate) const ASSIGNMENTS: &[&str] = &[
    // `key="name" value="value"`, and on lines: `name: NAME`, `value: VALUE`.
    r#"["\s,]+value"?[ \t]*[:=][ \t]*(?:STRING|([[:graph:]--["'`<>(){}\[\],;:\\]]+)[ \t\r]*(?:\n|$))"#,
    // `name = "value"`, `"name": "value"`, `name("value")`, `"name", "value"`, and
    // `name: Type = "value"`.
    r#"(?:QUOTE?\]?[ \t]*(?::=|\?=|=>|[=:])\s*|QUOTE?\(|QUOTE[ \t]*,\s*|:[ \t]*[\w<>&|\[\]?.' ]+=[ \t]*)[brfuBL@]?STRING"#,
    // `name "value"`.
    r#"[ \t]{1,8}(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')"#,
    // `name: |` with the value on the following lines: words, or the first line.
    r#"QUOTE?:[ \t]*[|>][-+0-9]*[ \t]*\r?\n[ \t]+([^\s:]+(?:[ \t\r]*\n[ \t]+[^\s:]+)*)[ \t\r]*(?:\n|$)"#,
    r#"QUOTE?:[ \t]*[|>][-+0-9]*[ \t]*\r?\n[ \t]+([^\n]+)"#,
    // `name=value`.
    r#"QUOTE?\]?=([\w+/.~!@%^*#$?:-]+={0,2})(?:[\s;|"'`<>\\,)\]}]|&(?:[\s&_a-zA-Z]|$)|$)"#,
    // `name: value` to the end of the line, or to a comment.
    r#"QUOTE?\]?(?:[ \t]*(?::=|\?=|=>|:)[ \t]*|[ \t]*=[ \t]+|[ \t]+=)([[:graph:]--["'`<>(){}\[\],;:\\=~]][[:graph:]--["'`<>(){}\[\],;:\\]]*)(?:[ \t\r]*(?:\n|$)|\\[nr]|["'`]|[ \t]+(?:#|//|; ))"#,
    // `<key>name</key><string>value<`, `<setting name="name"><value>value<`.
    r#"(?:</key>\s*<string>|"><value>)([^<\n]+)<"#,
];

/// The value of an option as a separate word: `--name VALUE`, `"--name", "VALUE"`.
pub(crate) const OPTION_VALUE: &str = r#"(?:[ \t]{1,4}|["'],?\s{1,4})["'`]?([^\s"'`$<>{}()\[\]|;&\\-][^\s"'`<>|;&\\]{5,150})(?:[\s"'`|;&\\)<>]|$)"#;

/// The text of an element, after its name.
pub(crate) const ELEMENT_VALUE: &str = r"(?: [^<>\n]*)?>([^<\n]+)<";

/// A quotation mark, possibly escaped or an HTML entity.
pub(crate) const QUOTE: &str = r#"(?:\\{0,3}["'`]|&(?:quot|apos|#34|#39);)"#;

/// A string in quotation marks; its groups hold the content.
#[rustfmt::skip]
pub(crate) const STRING: &str = r#"(?:"""([^\n]+?)"""|'''([^\n]+?)'''|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\\n]|\\.)*)`|\\{1,3}"([^"\n]*?)\\{1,3}"|\\{1,3}'([^'\n]*?)\\{1,3}'|&quot;([^\n&]*)&quot;|&#34;([^\n&]*)&#34;|&#39;([^\n&]*)&#39;|&apos;([^\n&]*)&apos;)"#;
