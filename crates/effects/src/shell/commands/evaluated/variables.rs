//! Variables that say what a shell or another program runs.

/// Variables that say which programs a shell runs, or what it runs beside them.
const RULING: &[&str] = &[
    "BASHOPTS",
    "BASH_ALIASES",
    "BASH_CMDS",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "SHELLOPTS",
];
/// The same by their beginning.
const RULING_PREFIXES: &[&str] = &["BASH_FUNC_", "DYLD_", "LD_"];

/// Variables whose values a shell takes for expressions, whoever assigns them. By a plain `=` a
/// number, or a value that hides no substitution, is no matter.
pub(super) const NUMERIC: &[&str] = &[
    "BASHPID",
    "BASH_MONOSECONDS",
    "BASH_SUBSHELL",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "HISTCMD",
    "LINENO",
    "OPTIND",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SRANDOM",
    "UID",
];

/// Variables that say which program another one runs. With the name of a pager or an editor for a value they are clear.
#[rustfmt::skip]
const COMMANDING: &[&str] = &[
    "ACKRC", "ACK_PAGER", "AWS_PAGER", "BAT_PAGER", "BC_ENV_ARGS", "BROWSER", "CARGO_BUILD_RUSTC", "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER", "CARGO_BUILD_RUSTDOC", "CARGO_HOME", "CMAKE_CXX_COMPILER_LAUNCHER",
    "CMAKE_C_COMPILER_LAUNCHER", "COMPILER_PATH", "CONTAINER_HOST", "CURL_HOME", "CVSEDITOR", "CVS_RSH", "DELTA_PAGER",
    "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_HOST", "DOTNET_STARTUP_HOOKS", "EDITOR",
    "ELIXIR_ERL_OPTIONS", "ERL_AFLAGS", "ERL_FLAGS", "ERL_ZFLAGS", "EXINIT", "FCEDIT",
    "FZF_DEFAULT_COMMAND", "FZF_DEFAULT_OPTS", "GCC_EXEC_PREFIX", "GCONV_PATH", "GH_BROWSER", "GH_EDITOR", "GH_PAGER", "GIT_ASKPASS",
    "GIT_COMMON_DIR", "GIT_DIFFTOOL_EXTCMD", "GIT_DIR", "GIT_EDITOR", "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_PROXY_COMMAND", "GIT_SEQUENCE_EDITOR", "GIT_SSH",
    "GIT_SSH_COMMAND", "GIT_TEMPLATE_DIR", "GNUMAKEFLAGS", "GNUPGHOME", "GOENV", "GOROOT", "GROFF_BIN_PATH",
    "GROFF_COMMAND_PREFIX", "GVIMINIT", "HELM_PLUGINS", "HGEDITOR", "HGMERGE", "HGRCPATH", "HOME", "INPUTRC",
    "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JJ_CONFIG", "JJ_EDITOR", "KUBECONFIG",
    "KUBECTL_EXTERNAL_DIFF", "KUBERC", "KUBE_EDITOR", "LESS", "LESSCLOSE", "LESSEDIT", "LESSKEY",
    "LESSKEYIN", "LESSKEY_CONTENT", "LESSKEY_SYSTEM", "LESSOPEN", "LUA_INIT", "MAGICK_CONFIGURE_PATH", "MAKEFILES", "MAKEFLAGS", "MANOPT",
    "MANPAGER", "MANROFFOPT", "MYSQL_HOME", "NODE_OPTIONS", "OPENSSL_CONF", "OPENSSL_ENGINES",
    "OPENSSL_MODULES", "PAGER", "PERL5DB", "PERL5LIB", "PERL5OPT", "PERLDOC_PAGER", "PERLLIB", "PHPRC",
    "PHP_INI_SCAN_DIR", "PSQLRC", "PSQL_EDITOR", "PSQL_PAGER", "PYTHONBREAKPOINT", "PYTHONHOME",
    "PYTHONSTARTUP", "PYTHONUSERBASE", "RUSTUP_HOME", "R_ENVIRON_USER", "R_PROFILE", "R_PROFILE_USER", "RIPGREP_CONFIG_PATH", "RSYNC_CONNECT_PROG", "RSYNC_RSH", "RUBYLIB",
    "RUBYOPT", "RUSTC", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_WRAPPER", "RUSTDOC", "SCREENRC",
    "SSH_ASKPASS", "SSH_PKCS11_HELPER", "SSH_SK_HELPER", "SSLKEYLOGFILE", "SUDO_ASKPASS", "SUDO_EDITOR", "SVN_EDITOR", "SVN_SSH", "SYSTEMD_EDITOR",
    "SYSTEMD_PAGER", "TAR_OPTIONS", "TEXMFCNF", "VIMINIT", "VIMRUNTIME", "VISUAL", "WGETRC", "XDG_CONFIG_HOME",
    "YARN_RC_FILENAME", "YARN_YARN_PATH", "ZDOTDIR", "ZIPOPT", "_JAVA_OPTIONS", "shell_escape",
];

/// Settings of `git` in variables, by the beginning of their names. Some keep it from taking a
/// folder for a repository that merely looks like one: they are not to be changed or taken away.
pub(super) const GIT_SETTINGS: &str = "GIT_CONFIG";

/// Values of these that run nothing that somebody else wrote: not `sh`, which runs what it is shown.
const PLAIN_PROGRAMS: &[&str] = &[
    ":", "bat", "cat", "ccache", "code", "emacs", "false", "head", "less", "more", "most", "nano",
    "nvim", "sccache", "ssh", "tail", "true", "vi", "vim",
];

/// Whether `NAME=value`, or a name alone, sets what another program runs to more than a plain name.
pub(super) fn commands(assignment: &str) -> bool {
    let (name, value) = assignment.split_once('=').unwrap_or((assignment, "/"));
    let value = value.trim_matches(['\'', '"']);
    let name = name.split(['[', '+']).next().unwrap_or_default();
    let is_plain = PLAIN_PROGRAMS.contains(&value) || are_harmless_options(name, value);
    // A linker or a runner for a target.
    let is_target = name.starts_with("CARGO_TARGET_")
        && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"));
    name.starts_with(GIT_SETTINGS)
        || COMMANDING.contains(&name) && !is_plain
        || is_target && value.contains(['/', ' ', '$'])
        || name.ends_with("_CREDENTIAL_PROVIDER") && name.starts_with("CARGO_")
        || name.contains("RUSTFLAGS") && value.contains("linker")
        || name == "GOFLAGS" && (value.contains("exec") || value.contains("vettool"))
        || JAVA_OPTIONS.contains(&name) && (value.contains("agent") || value.contains(":On"))
        || BUILDING.contains(&name) && !is_plain_tool(value)
        || is_of_npm(name)
}

/// Options of programs that run on Java, most of which are memory and properties.
const JAVA_OPTIONS: &[&str] = &["ANT_OPTS", "GRADLE_OPTS", "JAVA_OPTS", "MAVEN_OPTS", "SBT_OPTS"];

/// Variables that say which programs `make`, `configure` and build scripts run.
const BUILDING: &[&str] = &[
    "AR",
    "AS",
    "CC",
    "CPP",
    "CXX",
    "FC",
    "HOSTCC",
    "HOSTCXX",
    "LD",
    "M4",
    "NM",
    "OBJCOPY",
    "PKG_CONFIG",
    "RANLIB",
    "STRIP",
    "YACC",
];

/// Whether a value is the name of a program of the system, maybe behind a cache, with flags that name
/// no other.
fn is_plain_tool(value: &str) -> bool {
    let words = value
        .split_whitespace()
        .skip_while(|word| matches!(*word, "ccache" | "sccache" | "distcc"));
    let is_signed = value.contains(['$', '`', ';', '|', '&', '<', '>', '(', '\n', '{']);
    let mut words = words.enumerate();
    !is_signed
        && words.all(|(at, word)| match at {
            0 => !word.contains('/') || word.starts_with("/usr/") || word.starts_with("/opt/"),
            _ => {
                let names = ["-B", "-wrapper", "-specs", "-fplugin", "-fuse-ld"];
                word.starts_with('-') && !names.iter().any(|name| word.starts_with(name))
            }
        })
}

/// Whether it is a setting of npm that names a program, or a file of settings.
fn is_of_npm(name: &str) -> bool {
    const PROGRAMS: &[&str] = &[
        "editor",
        "git",
        "globalconfig",
        "node_gyp",
        "node_options",
        "script_shell",
        "shell",
        "userconfig",
        "viewer",
    ];
    let small = name.to_ascii_lowercase().replace('-', "_");
    small.strip_prefix("npm_config_").is_some_and(|setting| PROGRAMS.contains(&setting))
}

pub(super) fn is_ruling(name: &str) -> bool {
    RULING.contains(&name) || RULING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether somewhere in a text, as a word of its own, the name of a variable stands that says what
/// is run.
pub(super) fn are_named_in(text: &str) -> bool {
    let names = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    let says = |name: &str| name == "PATH" || is_ruling(name) || commands(name);
    names.filter(|name| name.len() > 2).any(says)
}

/// Whether the options in the value of a variable for an interpreter load and run nothing.
fn are_harmless_options(name: &str, value: &str) -> bool {
    let starts: &[&str] = match name {
        "JAVA_TOOL_OPTIONS" | "JDK_JAVA_OPTIONS" | "_JAVA_OPTIONS" => {
            &["-Xm", "-Xs", "-XX:+Use", "-XX:Max", "-Dfile.encoding="]
        }
        "LESS" | "MAKEFLAGS" => {
            // Flags that hold no command.
            return value
                .strip_prefix('-')
                .is_some_and(|flags| flags.bytes().all(|letter| letter.is_ascii_alphanumeric()));
        }
        "NODE_OPTIONS" => &[
            "--enable-source-maps",
            "--experimental-vm-modules",
            "--max-http-header-size=",
            "--max-old-space-size=",
            "--max_old_space_size=",
            "--no-",
            "--openssl-legacy-provider",
            "--stack-trace-limit=",
            "--trace-",
            "--unhandled-rejections=",
        ],
        "RUBYOPT" => &["-W", "-w"],
        _ => return false,
    };
    let is_plain = |word: &str| {
        starts.iter().any(|start| word.starts_with(start)) && !word.contains(['$', '`', '\\'])
    };
    value.split_whitespace().all(is_plain)
}
