//! What secrets look like that need more than a run of signs, as data. The kinds are those that
//! gitleaks' public rules name; the forms are from the documentation of who issues them.

use crate::options;

/// One kind of secret.
pub(crate) struct Pattern {
    /// What it is, for the note in its place.
    pub(crate) kind: &'static str,
    /// What it begins with: the form is tried at these words only. ASCII, in either case.
    pub(crate) words: &'static [&'static str],
    /// Whether its word is a whole one, or may be the end of a longer one.
    pub(crate) beginning: Beginning,
    /// What it looks like from the word on; its first group is the secret, or else all of it.
    /// Of what it may stretch over without an end, none can be had from a later word again:
    /// otherwise a file of such words would be read as often as it has some.
    pub(crate) form: Form,
    /// What else has to be so.
    pub(crate) proof: Proof,
}

/// How a form is read at the beginning of a text.
pub(crate) enum Form {
    /// By an expression.
    By(&'static str),
    /// By hand: where the form ends, and the secret in it.
    Read(fn(&[u8]) -> Option<options::Read>),
}

/// What may stand before the word of a secret.
#[derive(PartialEq)]
pub(crate) enum Beginning {
    /// No letter, digit or underscore.
    Whole,
    /// Anything.
    Anywhere,
    /// Digits, eight or more.
    Digits,
    /// The same as of a whole word; it is a program's name, and the form is looked for in the
    /// rest of its line and of those that it goes on in, once.
    Command,
}

/// What makes something in the form of a secret one.
pub(crate) enum Proof {
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
    /// The same, and it is no word of a language.
    Mixed,
    /// It is the base64 of a name and a password, or looks like chance.
    Login,
}

use Beginning::{Anywhere, Command, Digits, Whole};
use Proof::{Chosen, Login, Mixed, Random, RandomPart, RandomWord};

const fn pattern(
    kind: &'static str,
    words: &'static [&'static str],
    beginning: Beginning,
    form: &'static str,
    proof: Proof,
) -> Pattern {
    Pattern { kind, words, beginning, form: Form::By(form), proof }
}

/// A kind that is read by hand.
const fn read(
    kind: &'static str,
    words: &'static [&'static str],
    beginning: Beginning,
    form: fn(&[u8]) -> Option<options::Read>,
    proof: Proof,
) -> Pattern {
    Pattern { kind, words, beginning, form: Form::Read(form), proof }
}

/// What tokens of Discord's bots begin with: the first digits of a number in base64.
const DISCORD: &[&str] = &[
    "mja", "mjc", "mje", "mjg", "mji", "mjk", "mjm", "mjq", "mju", "mjy", "mta", "mtc", "mte",
    "mtg", "mti", "mtk", "mtm", "mtq", "mtu", "mty", "mza", "mzc", "mze", "mzg", "mzi", "mzk",
    "mzm", "mzq", "mzu", "mzy", "nda", "ndc", "nde", "ndg", "ndi", "ndk", "ndm", "ndq", "ndu",
    "ndy", "nja", "njc", "nje", "njg", "nji", "njk", "njm", "njq", "nju", "njy", "nta", "ntc",
    "nte", "ntg", "nti", "ntk", "ntm", "ntq", "ntu", "nty", "nza", "nzc", "nze", "nzg", "nzi",
    "nzk", "nzm", "nzq", "nzu", "nzy", "oda", "odc", "ode", "odg", "odi", "odk", "odm", "odq",
    "odu", "ody", "ota", "otc", "ote", "otg", "oti", "otk", "otm", "otq", "otu", "oty",
];

/// How many there are.
pub(crate) const PATTERNS: usize = 47;

/// All kinds. Where two overlap, the kind of the one that begins first is noted.
pub(crate) static TABLE: [Pattern; PATTERNS] = [
    // A block, or what is there of one that was cut.
    pattern(
        "private key",
        &["-----begin"],
        Anywhere,
        r"(?s-u)^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-{1,4}[^-])*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:[\sA-Za-z0-9+/=]|\\[rn])*)",
        Proof::Form,
    ),
    pattern(
        "Slack webhook",
        &["hooks.slack.com/"],
        Whole,
        r"(?-u)^(?i:hooks\.slack\.com)/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})",
        Proof::Form,
    ),
    pattern(
        "Discord webhook",
        &["/api/webhooks/"],
        Anywhere,
        r"(?-u)^(?i:/api/webhooks)/[0-9]{10,24}/([A-Za-z0-9_-]{50,})",
        Proof::Form,
    ),
    pattern(
        "Teams webhook",
        &["webhook.office.com/"],
        Anywhere,
        r"(?-u)^(?i:webhook\.office\.com)/webhookb2/([A-Za-z0-9@/-]{60,})",
        Proof::Form,
    ),
    pattern(
        "SendGrid key",
        &["sg."],
        Whole,
        r"(?-u)^SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
        Proof::Form,
    ),
    pattern(
        "JSON web token",
        &["eyj"],
        Whole,
        r"(?-u)^eyJ[A-Za-z0-9_]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        Proof::Form,
    ),
    pattern("Telegram token", &[":aa"], Digits, r"(?-u)^:(AA[A-Za-z0-9_-]{33})\b", Random),
    pattern(
        "Azure storage key",
        &["accountkey=", "sharedaccesskey="],
        Whole,
        r"(?i-u)^(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,}={0,2})",
        Proof::Form,
    ),
    pattern(
        "authorization header",
        &["authorization"],
        Whole,
        r#"(?i-u)^authorization\\?["']?\]?\s{0,4}[:=,]\s{0,4}\\?["'`]?(?:[a-z][a-z0-9-]{1,20}\s{1,4})?(?:token=)?["']?([A-Za-z0-9+/=._~-]{16,})"#,
        Random,
    ),
    pattern(
        "authorization header",
        &["basic "],
        Whole,
        r"(?i-u)^basic\s{1,4}([A-Za-z0-9+/]{8,}={0,2})",
        Login,
    ),
    pattern(
        "authorization header",
        &["bearer "],
        Whole,
        r"(?i-u)^bearer\s{1,4}([A-Za-z0-9+/=._~-]{16,})",
        Random,
    ),
    pattern(
        "signature",
        &["sig=", "signature=", "x-amz-security-token=", "hmac="],
        Whole,
        r"(?i-u)^(?:sig|signature|x-amz-security-token|hmac)=([A-Za-z0-9%+/_.~-]{16,}={0,2})",
        Random,
    ),
    pattern(
        "key in an address",
        &["?key=", "&key=", "?auth=", "&auth=", "?code=", "&code=", "?sid=", "&sid="],
        Anywhere,
        r"(?i-u)^[?&](?:key|auth|code|sid)=([A-Za-z0-9%+/_.~-]{16,}={0,2})",
        Random,
    ),
    pattern(
        "password in an address",
        &["://"],
        Anywhere,
        r#"(?i-u)^://[^\s:/@?#"'<>{}$()\[\]*]{0,64}:([^\s:/@"'<>{}$()\[\]*]{3,128})@[A-Za-z0-9\[]"#,
        Chosen,
    ),
    // In a list of arguments the value is one of its own.
    read(
        "password of an option",
        &["--pass", "--token", "--secret", "--api", "--auth-token", "--access-"],
        Anywhere,
        options::token,
        RandomWord,
    ),
    read("password of an option", &["--pass"], Anywhere, options::password, Mixed),
    pattern(
        "password of a user",
        &["--auth", "--user", "--proxy-user", "--creds"],
        Anywhere,
        r#"(?-u)^--(?:auth|user|proxy-user|creds)(?:[ \t=]{1,4}|["'],?\s{0,4})["'`]?[^\s:"'`$<>{}()\[\]|;&-][^\s:"'`$<>{}()\[\]|;&]{0,63}:([^\s:"'`$<>{}()\[\]]{0,64}[A-Za-z][^\s:"'`$<>{}()\[\]]{1,64})"#,
        Mixed,
    ),
    pattern(
        "password of a user",
        &["curl"],
        Command,
        r#"(?-u)^curl(?:[\s"',](?:[^\n]|\\\r?\n)*?)??[\s"'](?:-u|--user|-U|--proxy-user)(?:[ \t=]{0,4}|["'],?\s{0,4})["'`]?[^\s:"'`$<>{}()\[\]|;&-][^\s:"'`$<>{}()\[\]|;&]{0,63}:([^\s:"'`$<>{}()\[\]]{0,64}[A-Za-z][^\s:"'`$<>{}()\[\]]{1,64})"#,
        Chosen,
    ),
    pattern(
        "password of a user",
        &["http ", "https ", "xh ", "smbclient ", "ldapsearch ", "lftp "],
        Command,
        r#"(?-u)^(?:https?|xh|smbclient|ldapsearch|lftp)[ \t](?:[^\n]*?[ \t])??-(?:[aUu][ \t]{0,2}["']?[^\s:%,"'`$<>{}()\[\]|;&-][^\s:%,"'`$<>{}()\[\]|;&]{0,63}[:%,]|w[ \t]{0,2}["']?)([^\s:"'`$<>{}()\[\]|;&-][^\s"'`$<>{}()\[\]|;&]{5,64})(?:[\s"']|$)"#,
        Mixed,
    ),
    pattern(
        "password of a command",
        &["mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mariadb ", "mariadb-dump "],
        Command,
        r#"(?-u)^(?:mysql[a-z]{0,8}|mariadb[a-z-]{0,8})[ \t](?:[^\n]*?[ \t])??-p["']?([^\s"'`$<>{}()\[\]|;&]{0,64}[A-Za-z][^\s"'`<>|;]{0,64})"#,
        Chosen,
    ),
    pattern(
        "password of a command",
        &[
            "sshpass ",
            "redis-cli ",
            "docker login",
            "podman login",
            "helm registry",
            "sqlcmd ",
            "mongo ",
            "mongosh ",
            "snmpwalk ",
            "htpasswd ",
            "rabbitmqctl ",
            "net use ",
            "zip ",
            "7z ",
            "unzip ",
            "mosquitto_pub ",
            "mosquitto_sub ",
            "cqlsh ",
            "az login",
            "ssh-keygen ",
            "openssl enc",
            "xfreerdp ",
        ],
        Command,
        r#"(?-u)^(?:sshpass[ \t](?:[^\n]*?[ \t])??-p|(?:redis-cli|snmpwalk)[ \t](?:[^\n]*?[ \t])??-[aA]|snmpwalk[ \t](?:[^\n]*?[ \t])??-c|(?:docker|podman|helm(?:[ \t]registry)?)[ \t]login[ \t](?:[^\n]*?[ \t])??-p|(?:sqlcmd|(?:un)?zip|mosquitto_[ps]ub)[ \t](?:[^\n]*?[ \t])??-P|(?:mongo(?:sh)?|cqlsh|az login)[ \t](?:[^\n]*?[ \t])??-p|ssh-keygen[ \t](?:[^\n]*?[ \t])??-[NP]|openssl enc[ \t](?:[^\n]*?[ \t])??-k|xfreerdp[ \t](?:[^\n]*?[ \t])??/p:|7z[ \t](?:[^\n]*?[ \t])??-p|htpasswd[ \t]+-[a-zA-Z]*b[a-zA-Z]*[ \t]+\S{1,80}[ \t]+\S{1,60}|rabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+\S{1,60}|net use[ \t][^\n]*?/user:\S{1,60})[ \t]{0,4}["']?([^\s"'`$<>{}()\[\]|;&-][^\s"'`<>|;&]{3,80})"#,
        Mixed,
    ),
    pattern(
        "password of a command",
        &["-passin ", "-passout ", "-pass "],
        Anywhere,
        r#"(?-u)^-pass(?:in|out)?[ \t]{1,3}["']?pass:([^\s"'`$<>{}()\[\]|;&]{4,80})"#,
        Chosen,
    ),
    // What is fed to a program that takes it for a password.
    pattern(
        "password of a command",
        &["echo "],
        Command,
        r#"(?-u)^echo[ \t]+(?:-n[ \t]+)?["']?(?:[A-Za-z0-9_.-]{1,32}:)?([^\s"'`|$:]{6,80})["']?[ \t]*\|[ \t]*(?:sudo[ \t]+(?:-[A-Za-z]{1,8}[ \t]+){0,3}-[A-Za-z]{0,8}S\b|(?:sudo[ \t]+)?chpasswd\b|[^|\n]{0,120}[ \t]--(?:password-stdin|with-token)\b)"#,
        Mixed,
    ),
    pattern(
        "password of an option",
        &["-password ", "-passwd "],
        Anywhere,
        r#"(?i-u)^-passw(?:or)?d[ \t]{1,4}["']?([^\s"'`$<>{}()\[\]|;&\\-][^\s"'`<>|;&\\]{5,80})(?:[\s"']|$)"#,
        Mixed,
    ),
    pattern(
        "password",
        &["setx ", "setenv ", "set -", "configure set "],
        Whole,
        r#"(?i-u)^(?:set(?:x|env|[ \t]-[a-z]{1,4})|configure set)[ \t]{1,4}[a-z0-9_]{0,40}(?:pass|pwd|secret|token|key)[a-z0-9_]{0,40}[ \t]{1,4}["']?([^\s"'`$<>{}()\[\]|;&%]{6,120})"#,
        Mixed,
    ),
    // Lines of settings that have a name and a value, and nothing in between.
    pattern(
        "password",
        &[
            "requirepass ",
            "masterauth ",
            "bindpw ",
            "rootpw ",
            "enable secret ",
            "enable password ",
            "password 0 ",
            "password 7 ",
            "secret 0 ",
            "secret 5 ",
            "secret 9 ",
        ],
        Whole,
        r#"(?i-u)^(?:requirepass|masterauth|bindpw|rootpw|enable (?:secret|password)|(?:password|secret) [05-9])[ \t]{1,8}(?:[05-9][ \t]{1,4})?["']?([^\s"'`<>{}()\[\]|;&]{6,120})"#,
        Mixed,
    ),
    pattern(
        "token in an address",
        &["://"],
        Anywhere,
        r"(?-u)^://([A-Za-z0-9_-]{20,255})(?::x-oauth-basic|:)?@[A-Za-z0-9]",
        Random,
    ),
    pattern(
        "password in an address",
        &["jdbc:oracle:"],
        Whole,
        r#"(?i-u)^jdbc:oracle:[a-z]{2,8}:[^\s/@"']{1,64}/([^\s/@"']{3,120})@"#,
        Chosen,
    ),
    pattern(
        "password of a command",
        &["sqlplus "],
        Command,
        r#"(?-u)^sqlplus[ \t]+(?:-[A-Za-z]{1,8}[ \t]+){0,4}["']?[^\s/@"']{1,64}/([^\s/@"']{3,120})@"#,
        Mixed,
    ),
    // A name and a password as the arguments of a call.
    pattern(
        "password of a user",
        &["auth=(", "basicauth(", ".login("],
        Anywhere,
        r#"(?i-u)^(?:auth=|basicauth|\.login)\([ \t]{0,4}["'][^"'\n]{1,80}["'],[ \t]{0,4}["']([^"'\s]{4,120})["']"#,
        Mixed,
    ),
    pattern(
        "secret of one-time passwords",
        &["otpauth://"],
        Whole,
        r#"(?i-u)^otpauth://[^\s"'<>]{0,80}?[?&]secret=([A-Z2-7]{16,256})"#,
        Proof::Form,
    ),
    pattern(
        "private key",
        &["private-lines:"],
        Whole,
        r"(?-u)^(?i:private-lines): [0-9]{1,3}\r?\n((?:[A-Za-z0-9+/=]{1,64}\r?\n)+)",
        Proof::Form,
    ),
    pattern(
        "password",
        &["<auth-user-pass>"],
        Anywhere,
        r"(?-u)^(?i:<auth-user-pass>)\s{0,4}\n[^\n<]{1,120}\n([^\s<]{4,120})",
        Chosen,
    ),
    pattern(
        "password of a machine",
        &["machine ", "machine\t", "default login"],
        Whole,
        r"(?-u)^(?:machine\s{1,4}[A-Za-z0-9._-]{1,120}|default)\s{1,8}(?:login\s{1,4}\S{1,120}\s{1,8})?(?:account\s{1,4}\S{1,120}\s{1,8})?password\s{1,4}(\S{3,200})",
        Chosen,
    ),
    pattern(
        "cookie",
        &["cookie"],
        Whole,
        // All of the header; where a value of it may stand, nothing else of this form begins.
        r#"(?i-u)^cookie["']?(?:\s{0,4}[:,]\s{0,4}|[ \t]{1,4})["'`]?([A-Za-z0-9_.%$-]{1,64}=[^\s;:,"'`<>]*(?:;[ \t]?[A-Za-z0-9_.%$-]{1,64}=[^\s;:,"'`<>]*)*)"#,
        RandomPart,
    ),
    pattern(
        "login of a registry",
        &["\"auth\"", "_auth=", "_auth =", "_auth\"", "_password=", "_password ="],
        Anywhere,
        r#"(?-u)^\\?"?_?(?:auth|password)\\?"?\s{0,8}[:=]\s{0,8}\\?"?([A-Za-z0-9+/_-]{8,}={0,2})"#,
        Login,
    ),
    pattern(
        "hash of a password",
        &[
            "$apr1$",
            "$2y$",
            "$2a$",
            "$2b$",
            "$6$",
            "$5$",
            "$1$",
            "$y$",
            "$argon2",
            "$scrypt$",
            "$pbkdf2",
            "pbkdf2_sha256$",
            "{sha}",
            "{ssha}",
            "{ssha512}",
            "scram-sha-256$",
        ],
        Anywhere,
        r"(?-u)^(?i:\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}|\$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$[56]\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}|\$y\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}|\$argon2(?:id|i|d)\$[A-Za-z0-9=,$+/]{40,}|\$(?:scrypt|pbkdf2[a-z0-9-]{0,12})\$[A-Za-z0-9=,$+/.]{40,}|pbkdf2_sha256\$[0-9]{1,9}\$[A-Za-z0-9]{4,32}\$[A-Za-z0-9+/=]{40,}|\{s?sha(?:512)?\}[A-Za-z0-9+/]{26,}={0,2}|scram-sha-256\$[0-9]{1,9}:[A-Za-z0-9+/=]{8,}\$[A-Za-z0-9+/=:]{40,})",
        Proof::Form,
    ),
    pattern(
        "password",
        &["define("],
        Anywhere,
        r#"(?i-u)^define\(\s{0,2}['"](?:AUTH|SECURE_AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)['"]\s{0,4},\s{0,8}(?:'([^'\n]{20,120})'|"([^"\n]{20,120})")"#,
        Chosen,
    ),
    pattern(
        "password",
        &["convertto-securestring"],
        Whole,
        r#"(?i-u)^convertto-securestring\s{1,4}(?:-(?:string|asplaintext|force)\s{1,4}){0,3}(?:"([^"\n$]{4,120})"|'([^'\n]{4,120})')"#,
        Chosen,
    ),
    pattern(
        "password",
        &["identified by", "with password", "set password"],
        Whole,
        r#"(?i-u)^(?:identified by(?: password)?|with password|set password)\s{0,2}=?\s{0,2}(?:'([^'\n]{4,120})'|"([^"\n]{4,120})")"#,
        Chosen,
    ),
    pattern(
        "private key",
        &["\"d\"", "\"k\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\""],
        Anywhere,
        r#"(?-u)^"(?:d|k|p|q|dp|dq|qi)"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{40,})""#,
        Random,
    ),
    pattern(
        "Discord token",
        &["discord"],
        Anywhere,
        r#"(?i-u)^discord[A-Za-z0-9_. -]{0,24}["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9_-]{23,30}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,45})"#,
        Random,
    ),
    pattern(
        "webhook",
        &[
            "hooks.zapier.com/",
            "hook.us1.make.com/",
            "hook.eu1.make.com/",
            "outlook.office.com/webhook/",
        ],
        Whole,
        r"(?-u)^(?i:hooks\.zapier\.com/hooks/catch|hook\.(?:us|eu)1\.make\.com|outlook\.office\.com/webhook)/([A-Za-z0-9@/-]{16,})",
        Proof::Form,
    ),
    // The number of a bot in base64, a time, and what signs both.
    pattern(
        "Discord token",
        DISCORD,
        Whole,
        r"(?-u)^[MNO][DTjz][AEIMQUYcgk][A-Za-z0-9_-]{20,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}",
        Random,
    ),
    pattern(
        "password",
        &["<input"],
        Anywhere,
        r#"(?i-u)^<input\s(?:[^<>]{0,200}?\s)??(?:type=\\?["']?password\b[^<>]{0,200}?\svalue=\\?(?:"([^"<>\n\\]{4,120})|'([^'<>\n\\]{4,120}))|value=\\?(?:"([^"<>\n\\]{4,120})|'([^'<>\n\\]{4,120}))\\?["']\s(?:[^<>]{0,200}?\s)??type=\\?["']?password\b)"#,
        Mixed,
    ),
    // Of LDIF, in base64.
    pattern(
        "password",
        &["password:: "],
        Anywhere,
        r"(?i-u)^password:: {1,4}((?:[a-z0-9+/]{4}){1,100}(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?)(?:[^a-z0-9+/=<:(.,_-]|$)",
        Mixed,
    ),
    // Of Redis; the mechanisms of mail servers are in capitals.
    pattern(
        "password",
        &["auth "],
        Whole,
        r#"(?-u)^AUTH[ \t]{1,4}(?:default[ \t]{1,4})?["']?([^\s"'`<>{}()\[\]|;&$\\]{2,60}[a-z][^\s"'`<>{}()\[\]|;&\\]{2,60})["']{0,3}[ \t]{0,4}(?:[\r\n\\]|$)"#,
        Mixed,
    ),
];
