//! Tokens that begin with a word of their own and go on with signs of one sort, as data. The
//! forms are from the documentation of who issues them.

use crate::chance::{is_filler, looks_random};

/// The signs that tokens consist of.
#[derive(Clone, Copy)]
pub(crate) enum Signs {
    /// Letters and digits.
    Alnum,
    /// Those, `_` and `-`.
    Url,
    /// Those and `.`.
    Dotted,
    /// Those, `+`, `/` and `=`.
    Base64,
    /// Small hexadecimal digits.
    Hex,
    /// Capitals and the digits from 2 to 7.
    Base32,
    /// Capitals and digits.
    Capitals,
}

impl Signs {
    fn have(self, sign: u8) -> bool {
        match self {
            Self::Alnum => sign.is_ascii_alphanumeric(),
            Self::Url => sign.is_ascii_alphanumeric() || matches!(sign, b'_' | b'-'),
            Self::Dotted => sign.is_ascii_alphanumeric() || matches!(sign, b'_' | b'-' | b'.'),
            Self::Base64 => {
                sign.is_ascii_alphanumeric() || matches!(sign, b'_' | b'-' | b'+' | b'/' | b'=')
            }
            Self::Hex => sign.is_ascii_hexdigit(),
            Self::Base32 => matches!(sign, b'A'..=b'Z' | b'2'..=b'7'),
            Self::Capitals => sign.is_ascii_uppercase() || sign.is_ascii_digit(),
        }
    }
}

/// One kind of token.
pub(crate) struct Run {
    /// What it is, for the note in its place.
    pub(crate) kind: &'static str,
    /// What it begins with.
    pub(crate) words: &'static [&'static str],
    signs: Signs,
    /// How many signs follow; where both are the same, no sign of a word may follow them.
    many: (usize, usize),
    /// Whether the signs must look like chance: words of code may begin so too.
    is_random: bool,
    /// Whether its word stands in the middle of it.
    pub(crate) is_inner: bool,
}

/// No limit of its own.
const ANY: usize = usize::MAX;

const fn run(
    kind: &'static str,
    words: &'static [&'static str],
    signs: Signs,
    many: (usize, usize),
) -> Run {
    Run { kind, words, signs, many, is_random: false, is_inner: false }
}

/// A token whose beginning is short, or a word of code.
const fn random(
    kind: &'static str,
    words: &'static [&'static str],
    signs: Signs,
    many: (usize, usize),
) -> Run {
    Run { is_random: true, ..run(kind, words, signs, many) }
}

/// A token whose word has other signs before it.
const fn inner(
    kind: &'static str,
    words: &'static [&'static str],
    signs: Signs,
    many: (usize, usize),
) -> Run {
    Run { is_inner: true, ..run(kind, words, signs, many) }
}

/// Bytes of a token that say whether it is one.
const PROOF_BYTES_MAX: usize = 2_048;

impl Run {
    /// Where the token ends that stands at `start` behind `word`.
    pub(crate) fn end(&self, text: &[u8], start: usize, word: &str) -> Option<usize> {
        let body = start + word.len();
        if text.get(start..body) != Some(word.as_bytes()) {
            return None;
        }
        let have = |sign: &&u8| self.signs.have(**sign);
        // A long word that is no token is not to be read to its end at each word in it.
        let (least, most) = self.many;
        let read_max = if most == ANY { PROOF_BYTES_MAX } else { most + 1 };
        let mut end = body + text[body..].iter().take(read_max).take_while(have).count();
        let is_more = |sign: &u8| sign.is_ascii_alphanumeric() || *sign == b'_';
        let is_long = match most {
            ANY => end - body >= least,
            _ => (least..=most).contains(&(end - body)) && !text.get(end).is_some_and(is_more),
        };
        let token = &text[body..end];
        let is_token = is_long && !is_filler(token) && (!self.is_random || looks_random(token));
        if is_token && end - body == PROOF_BYTES_MAX {
            end += text[end..].iter().take_while(have).count();
        }
        is_token.then_some(end)
    }
}

use Signs::{Alnum, Base32, Base64, Capitals, Dotted, Hex, Url};

/// All kinds.
pub(crate) static RUNS: &[Run] = &[
    run("AWS access key", &["AKIA", "ASIA", "ABIA", "ACCA"], Base32, (16, 16)),
    run("NVIDIA key", &["nvapi-"], Url, (60, ANY)),
    random("Netlify token", &["nfp_"], Alnum, (36, ANY)),
    run("Dynatrace token", &["dt0c01.", "dt0s01.", "dt0s16."], Dotted, (80, ANY)),
    run("AWS API key", &["ABSKQmVkcm9ja0FQSUtleS"], Base64, (40, ANY)),
    run("GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Alnum, (36, ANY)),
    run("GitHub token", &["github_pat_"], Url, (36, ANY)),
    run(
        "GitLab token",
        &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-",
            "glagent-", "gloas-", "glffct-",
        ],
        Dotted,
        (20, ANY),
    ),
    run(
        "Slack token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxe.", "xoxs-", "xoxr-", "xoxc-", "xoxd-", "xapp-"],
        Dotted,
        (10, ANY),
    ),
    run("Google API key", &["AIza"], Url, (35, ANY)),
    run("Google client secret", &["GOCSPX-"], Url, (28, ANY)),
    run("Google access token", &["ya29."], Url, (20, ANY)),
    random("Google refresh token", &["1//0"], Url, (30, ANY)),
    run("Firebase key", &["APA91b"], Url, (100, ANY)),
    run("Anthropic API key", &["sk-ant-"], Url, (20, ANY)),
    run("OpenAI API key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"], Url, (20, ANY)),
    random("API key", &["sk-"], Alnum, (32, ANY)),
    run("Discord token", &["mfa."], Url, (80, ANY)),
    run("Stripe key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_"], Alnum, (16, ANY)),
    run("Stripe webhook secret", &["whsec_"], Base64, (24, ANY)),
    run("npm token", &["npm_"], Alnum, (36, 36)),
    run("PyPI token", &["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZ"], Url, (50, ANY)),
    run("Hugging Face token", &["hf_", "api_org_"], Alnum, (30, ANY)),
    run("DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], Hex, (64, 64)),
    run("Docker token", &["dckr_pat_", "dckr_oat_"], Url, (27, ANY)),
    run("Vault token", &["hvs.", "hvb.", "hvr."], Url, (24, ANY)),
    run("Databricks token", &["dapi"], Hex, (32, 32)),
    run("Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], Hex, (32, 32)),
    run("Linear key", &["lin_api_", "lin_oauth_"], Alnum, (40, ANY)),
    run("Groq key", &["gsk_"], Alnum, (40, ANY)),
    run("xAI key", &["xai-"], Alnum, (60, ANY)),
    run("Replicate token", &["r8_"], Alnum, (37, 37)),
    run("Perplexity key", &["pplx-"], Alnum, (40, ANY)),
    run("LangSmith key", &["lsv2_pt_", "lsv2_sk_"], Url, (32, ANY)),
    run("Age key", &["AGE-SECRET-KEY-1", "AGE-PLUGIN-"], Capitals, (58, ANY)),
    inner("Azure client secret", &["7Q~", "8Q~", "9Q~"], Dotted, (31, 34)),
    inner("Terraform token", &[".atlasv1."], Url, (60, ANY)),
    run("Pulumi token", &["pul-"], Hex, (40, 40)),
    run("Doppler token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."], Dotted, (40, ANY)),
    run("Fly token", &["fo1_", "fm1_", "fm2_", "fm1r_"], Base64, (40, ANY)),
    run("Grafana token", &["glsa_", "glc_eyJ"], Base64, (32, ANY)),
    run("New Relic key", &["NRAK-", "NRII-", "NRJS-"], Alnum, (19, ANY)),
    random("Notion token", &["ntn_", "secret_"], Alnum, (43, ANY)),
    run("Sentry token", &["sntrys_", "sntryu_"], Base64, (40, ANY)),
    run("Square token", &["sq0atp-", "sq0csp-", "EAAAE"], Url, (22, ANY)),
    random("Mailgun key", &["key-"], Hex, (32, 32)),
    random("Meta token", &["EAAC", "EAAB", "EAAG", "EAAJ", "EAAM", "EAAD"], Alnum, (60, ANY)),
    random("Dropbox token", &["sl."], Url, (100, ANY)),
    run("Figma token", &["figd_", "figo_"], Url, (40, ANY)),
    run("PlanetScale token", &["pscale_pw_", "pscale_tkn_", "pscale_oauth_"], Dotted, (32, ANY)),
    run("RubyGems key", &["rubygems_"], Hex, (48, 48)),
    run("Supabase token", &["sbp_", "sb_secret_"], Url, (30, ANY)),
    run("Tailscale key", &["tskey-"], Url, (20, ANY)),
    run("1Password token", &["ops_eyJ"], Base64, (100, ANY)),
    run("Postman key", &["PMAK-"], Url, (50, ANY)),
    run("Atlassian token", &["ATATT3", "ATCTT3", "ATBB"], Base64, (28, ANY)),
    run("CircleCI token", &["CCIPAT_", "CCIPRJ_"], Url, (40, ANY)),
    run("Buildkite token", &["bkua_"], Hex, (40, 40)),
    run("Sonar token", &["squ_", "sqp_", "sqa_"], Hex, (40, 40)),
    run("Artifactory key", &["AKCp"], Alnum, (60, ANY)),
    run("Artifactory key", &["cmVmdGtuOj"], Alnum, (50, ANY)),
    run("OpenShift token", &["sha256~"], Url, (40, ANY)),
    run("Heroku key", &["HRKU-"], Url, (36, ANY)),
    run("Sourcegraph token", &["sgp_"], Url, (40, ANY)),
    run("Razorpay key", &["rzp_live_"], Alnum, (14, ANY)),
    run("Shippo token", &["shippo_live_", "shippo_test_"], Hex, (40, 40)),
    run("Typeform token", &["tfp_"], Dotted, (40, ANY)),
    run("Contentful token", &["CFPAT-"], Url, (40, ANY)),
    run("Prefect key", &["pnu_", "pnb_"], Alnum, (36, ANY)),
    run("ReadMe key", &["rdme_"], Alnum, (60, ANY)),
    run("Yandex token", &["y0_", "AQVN"], Url, (35, ANY)),
    run("Alibaba key", &["LTAI"], Alnum, (12, 24)),
    run("Brevo key", &["xkeysib-", "xsmtpsib-"], Url, (64, ANY)),
    run("Flutterwave key", &["FLWSECK-", "FLWSECK_TEST-"], Url, (20, ANY)),
    run("EasyPost key", &["EZAK", "EZTK"], Alnum, (54, ANY)),
    run(
        "Plaid token",
        &["access-production-", "access-sandbox-", "access-development-"],
        Url,
        (36, ANY),
    ),
    run("Clojars token", &["CLOJARS_"], Hex, (60, 60)),
    run("Infracost key", &["ico-"], Alnum, (32, 32)),
    run("PagerDuty key", &["pdus+"], Alnum, (20, ANY)),
    run("Duffel token", &["duffel_live_", "duffel_test_"], Url, (43, ANY)),
    run("Cloudflare token", &["v1.0-"], Url, (140, ANY)),
    random("Resend key", &["re_"], Url, (32, 36)),
    random("LaunchDarkly key", &["sdk-", "api-"], Url, (36, 36)),
];
