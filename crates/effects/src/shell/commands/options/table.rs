//! The table of programs that run others by an option.

/// Options by which programs run others.
pub(super) struct Options {
    pub(super) programs: &'static [&'static str],
    /// `--long`, which may be shortened; `-x`, alone or among other letters; `-word`; `+` for words
    /// that begin with it.
    pub(super) options: &'static [&'static str],
    /// What a word that does so holds, in small letters.
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
    row(&["ar", "ld", "nm", "ranlib"], &["--plugin"], &[]),
    row(&["bat", "batcat", "delta"], &["--pager"], &[]),
    row(&["c++", "cc", "clang", "clang++", "g++", "gcc", "gfortran"], &["-wrapper", "-specs", "-B"], &["-fplugin", "-fuse-ld", "-specs="]),
    row(&["cargo"], &["--config"], &[]),
    row(&["cpio"], &["--rsh-command"], &[]),
    row(&["cscope"], &["-e"], &[]),
    row(&["ctags"], &["--options"], &["-exec"]),
    row(&["diff3", "sdiff"], &["--diff-program"], &[]),
    row(&["docker"], &["--config", "-H", "--host", "--tlscacert"], &[]),
    row(&["podman"], &["--config", "--conmon", "--connection", "--hooks-dir", "--identity", "--module", "--network-cmd-path", "--runtime", "--url"], &[]),
    row(&["helm"], &["--post-renderer", "--kubeconfig", "--kube-apiserver", "--kube-ca-file", "--kube-insecure-skip-tls-verify", "--kube-tls-server-name", "--registry-config", "--repository-config"], &[]),
    row(&["emacs", "emacsclient"], &["--eval", "--execute", "--funcall", "--load", "--script", "-f", "-l", "-x", "-eval", "-execute", "-script"], &[]),
    row(&["fd", "fdfind"], &["-x", "-X", "--exec", "--exec-batch"], &[]),
    row(&["fzf", "sk"], &["--preview", "--bind", "--execute"], &["execute", "become"]),
    row(&["gdb", "lldb"], &["-ex", "-iex", "-x", "-ix", "-o", "-O", "-s", "-S", "-k", "-K", "--args", "--eval-command", "--init-eval-command", "--command", "--init-command", "--one-line", "--source", "--python"], &[]),
    row(&["gnuplot"], &[], &["system", "!", "`", "|"]),
    row(&["go"], &["-exec", "-toolexec", "-vettool"], &[]),
    row(&["gpg", "gpg2"], &["--photo-viewer", "--agent-program", "--dirmngr-program", "--keyboxd-program"], &[]),
    row(&["gs"], &["-dNOSAFER"], &["%pipe%"]),
    row(&["hg"], &["--config", "--ssh", "--remotecmd"], &[]),
    row(&["info", "man"], &["-P", "-H", "-B", "--pager", "--html", "--browser"], &[]),
    row(&["latex", "lualatex", "pdflatex", "pdftex", "tex", "xelatex"], &["--shell-escape", "-shell-escape", "-enable-write18"], &["write18"]),
    row(&["less", "more", "most"], &["-k", "--lesskey-file", "--lesskey-src", "+!", "+|", "+v"], &["--lesskey"]),
    row(&["run-parts"], &[], &["/"]),
    row(&["m4"], &[], &["syscmd"]),
    row(&["mysql", "mariadb"], &["--pager", "--init-command"], &["\\!", "system ", "\\p ", "\\.", "source "]),
    row(&["nano", "pico"], &["--speller", "-s"], &[]),
    row(&["nc", "ncat", "netcat"], &["-e", "-c", "--exec", "--sh-exec", "--lua-exec"], &[]),
    row(&["nmap"], &["--script", "--script-args-file", "--interactive"], &[]),
    row(&["node", "npm", "npx", "pnpm", "yarn"], &["--script-shell"], &["script-shell", "script_shell"]),
    row(&["nvim", "rview", "rvim", "vi", "view", "vim", "vimdiff"], &["-c", "-S", "-u", "-U", "-s", "-l", "--cmd", "+"], &[]),
    row(&["openssl"], &["-engine", "-provider-path"], &[]),
    row(&["psql"], &[], &["\\", "program", "pager"]),
    row(&["rg"], &["--pre", "--hostname-bin"], &[]),
    row(&["rsync"], &["-e", "--rsh", "--rsync-path", "--config"], &[]),
    row(&["rustc"], &[], &["linker="]),
    row(&["screen", "tmux"], &["-X"], &["new", "run", "split", "pipe", "respawn", "if", "send", "popup"]),
    row(&["socat"], &[], &["exec:", "system:", "shell:"]),
    row(&["sort"], &["--compress-program"], &[]),
    row(&["split"], &["--filter"], &[]),
    row(&["duckdb", "sqlite3"], &["-cmd", "-init"], &["load_extension", "edit("]),
    row(&["svn"], &["--config-option", "--diff-cmd", "--diff3-cmd", "--editor-cmd"], &[]),
    row(&["tar", "bsdtar", "gtar"], &["-F", "-I", "--checkpoint-action", "--info-script", "--new-volume-script", "--rmt-command", "--rsh-command", "--to-command", "--use-compress-program"], &[]),
    row(&["tcpdump"], &["-z"], &[]),
    row(&["wget"], &["-e", "--execute", "--use-askpass", "--config"], &[]),
    row(&["zip"], &["-T", "--test", "--unzip-command"], &[]),
];
