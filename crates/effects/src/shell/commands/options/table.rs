//! The table of programs that run others by an option.

/// Options by which programs run others.
pub(super) struct Options {
    pub(super) programs: &'static [&'static str],
    /// `--long`, which may be shortened; `-x`, alone or among other letters; `-word`; `+` for words
    /// that begin with it; `@` for files with further options.
    pub(super) options: &'static [&'static str],
    /// What a word that does so holds, in small letters and with blanks for all white space.
    pub(super) words: &'static [&'static str],
}

const fn row(
    programs: &'static [&'static str],
    options: &'static [&'static str],
    words: &'static [&'static str],
) -> Options {
    Options { programs, options, words }
}

/// The table.
#[rustfmt::skip]
pub(super) const OPTIONS: &[Options] = &[
    row(&["ack", "ag"], &["--pager"], &[]),
    row(&["apt", "apt-get", "aptitude", "dpkg"], &["-o", "-c", "--option", "--config-file", "--pre-invoke", "--post-invoke"], &[]),
    row(&["ar", "gcc-ar", "gcc-nm", "gcc-ranlib", "nm", "objcopy", "objdump", "ranlib", "size", "strip"], &["--plugin", "@"], &[]),
    row(&["ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "mold"], &["-plugin", "--plugin", "-load", "--load-pass-plugin", "-run", "@"], &[]),
    row(&["bat", "batcat", "delta"], &["--pager"], &[]),
    row(&["c++", "c99", "cc", "clang", "clang++", "cpp", "g++", "gcc", "gfortran"], &[
        "-wrapper", "-specs", "-B", "-plugin", "-load", "--ld-path", "--prefix", "--config", "--config-system-dir", "--config-user-dir",
        "--cuda-path", "--gcc-install-dir", "--gcc-toolchain", "--ptxas-path", "-ccc-gcc-name", "-ccc-install-dir", "@",
    ], &["-fplugin", "-fpass-plugin", "-fuse-ld", "-specs=", ",-plugin", ",--plugin", ",@"]),
    row(&["clang-tidy", "llc", "opt"], &["-load", "-load-pass-plugin", "-plugin", "@"], &[]),
    row(&["cargo"], &["--config"], &[]),
    row(&["cpio"], &["--rsh-command"], &[]),
    row(&["cscope"], &["-e"], &[]),
    row(&["ctags"], &["--options"], &["-exec"]),
    row(&["diff3", "sdiff"], &["--diff-program"], &[]),
    row(&["docker"], &["--config", "-H", "--host", "--tlscacert"], &[]),
    row(&["podman"], &["--config", "--conmon", "--connection", "--hooks-dir", "--identity", "--module", "--network-cmd-path", "--runtime", "--url"], &[]),
    row(&["helm"], &["--post-renderer", "--kubeconfig", "--kube-apiserver", "--kube-ca-file", "--kube-insecure-skip-tls-verify", "--kube-tls-server-name", "--registry-config", "--repository-config"], &[]),
    row(&["emacs", "emacsclient"], &["--eval", "--execute", "--funcall", "--init-directory", "--load", "--script", "--user", "-f", "-l", "-u", "-x", "-eval", "-execute", "-script"], &[]),
    row(&["fd", "fdfind"], &["-x", "-X", "--exec", "--exec-batch"], &[]),
    row(&["fzf", "sk"], &["--preview", "--bind", "--execute", "-listen-unsafe", "--with-shell"], &["execute", "become"]),
    row(&["gdb", "lldb"], &["-ex", "-iex", "-x", "-ix", "-o", "-O", "-s", "-S", "-k", "-K", "--args", "--eval-command", "--init-eval-command", "--command", "--init-command", "--one-line", "--source", "--python", "--data-directory"], &[]),
    row(&["gnuplot"], &[], &["system", "!", "`", "|"]),
    row(&["go"], &["-exec", "-toolexec", "-vettool"], &["-extld"]),
    row(&["gpg", "gpg2"], &["--photo-viewer", "--agent-program", "--dirmngr-program", "--exec-path", "--homedir", "--keyboxd-program", "--options"], &[]),
    row(&["gs"], &["-dNOSAFER"], &["%pipe%"]),
    row(&["hg"], &["--config", "--ssh", "--remotecmd", "-e"], &[]),
    row(&["info", "man"], &["-P", "-H", "-B", "-C", "--pager", "--html", "--browser", "--config-file"], &[]),
    row(&["latex", "lualatex", "pdflatex", "pdftex", "tex", "xelatex"], &["--shell-escape", "-shell-escape", "-enable-write18", "-cnf-line", "--cnf-line"], &["write18"]),
    row(&["less", "more", "most"], &["-k", "--lesskey-file", "--lesskey-src", "+!", "+#", "+|", "+v"], &["--lesskey"]),
    row(&["run-parts"], &[], &["/"]),
    row(&["m4"], &[], &["syscmd"]),
    row(&["mysql", "mariadb"], &["--pager", "--init-command", "--defaults-extra-file", "--defaults-file", "--plugin-dir"], &["\\!", "system ", "\\p ", "pager ", "\\.", "source "]),
    row(&["mariadb-dump", "mysqladmin", "mysqldump", "mysqlimport"], &["--defaults-extra-file", "--defaults-file", "--plugin-dir"], &[]),
    row(&["nano", "pico"], &["--speller", "-s"], &[]),
    row(&["nc", "ncat", "netcat"], &["-e", "-c", "--exec", "--sh-exec", "--lua-exec"], &[]),
    row(&["nmap"], &["--script", "--script-args-file", "--interactive", "--datadir"], &[]),
    row(&["node"], &["--script-shell"], &["script-shell", "script_shell"]),
    row(&["npm", "npx", "pnpm", "yarn"], &["--script-shell", "-git", "-globalconfig", "-node-options", "-userconfig"], &["script-shell", "script_shell"]),
    row(&["gview", "gvim", "gvimdiff", "nvim", "rview", "rvim", "vi", "view", "vim", "vimdiff"], &["-c", "-S", "-u", "-U", "-s", "-l", "--cmd", "--remote-expr", "--remote-send", "+"], &[]),
    row(&["openssl"], &["-engine", "-provider-path"], &[]),
    row(&["psql"], &[], &["\\", "program", "pager", "%`"]),
    row(&["rg"], &["--pre", "--hostname-bin"], &[]),
    row(&["rsync"], &["-e", "--rsh", "--rsync-path", "--config"], &[]),
    row(&["rustc"], &["@"], &["linker=", "link-arg", "codegen-backend="]),
    row(&["screen", "tmux"], &["-X", "-c", "-f"], &["new", "run", "split", "pipe", "respawn", "if", "send", "popup", "#("]),
    row(&["socat"], &[], &["exec:", "system:", "shell:"]),
    row(&["ssh-add"], &["-s", "-S"], &[]),
    row(&["ssh-keygen"], &["-D", "-w"], &[]),
    row(&["sort"], &["--compress-program"], &[]),
    row(&["split"], &["--filter"], &[]),
    row(&["duckdb", "sqlite3"], &["-cmd", "-init"], &["load_extension", "edit("]),
    row(&["svn"], &["--config-dir", "--config-option", "--diff-cmd", "--diff3-cmd", "--editor-cmd"], &[]),
    row(&["tar", "bsdtar", "gtar"], &["-F", "-I", "--checkpoint-action", "--info-script", "--new-volume-script", "--rmt-command", "--rsh-command", "--to-command", "--use-compress-program"], &[]),
    row(&["tcpdump"], &["-z"], &[]),
    row(&["tshark", "wireshark"], &["-X"], &[]),
    row(&["wget"], &["-e", "--execute", "--use-askpass", "--config"], &[]),
    row(&["zip"], &["-T", "--test", "--unzip-command"], &[]),
];
