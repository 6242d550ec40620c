//! `foveal serve --install`: a gateway that the system starts.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::world::{Ran, World};

const UNIT: &str = "home/.config/systemd/user/foveal.service";

/// A systemd that starts and ends what the unit says, as far as a shell reads it alike, and notes
/// what it was told.
pub(crate) const SYSTEMCTL: &str = r#"#!/bin/sh
echo "$*" >> "$HOME/told"
unit="$HOME/.config/systemd/user/foveal.service"
start() {
    for variable in $(sed -n 's/^Environment=//p' "$unit"); do export "$variable"; done
    eval "set -- $(sed -n 's/^ExecStart=//p' "$unit")"
    setsid "$@" > "$HOME/out" 2>&1 &
    echo $! > "$HOME/pid"
}
stop() { kill "$(cat "$HOME/pid")"; rm "$HOME/pid"; }
case "$2" in
enable) mkdir -p "$HOME/.config/systemd/user/default.target.wants"; [ -f "$HOME/pid" ] || start ;;
restart) stop; sleep 0.3; start ;;
disable) stop ;;
esac
"#;

struct Session {
    world: World,
    path: String,
    port: u16,
}

impl Drop for Session {
    /// Ends the gateway of a test that failed.
    fn drop(&mut self) {
        if let Ok(pid) = std::fs::read_to_string(self.world.folder.join("home/pid")) {
            drop(Command::new("kill").arg(pid.trim()).status());
        }
    }
}

impl Session {
    fn new(test: &str, systemctl: Option<&str>) -> Self {
        let world = World::new(&format!("service_{test}"));
        world.write("bin/keep", "");
        if let Some(text) = systemctl {
            world.write("bin/systemctl", text);
            let path = world.folder.join("bin/systemctl");
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("it is there");
        }
        let own = world.folder.join("bin");
        // Without the machine's own systemd.
        let tools = world.folder.join("tools");
        std::fs::create_dir(&tools).expect("a new folder");
        for tool in ["sh", "sed", "cat", "rm", "kill", "mkdir", "setsid", "sleep"] {
            let found = ["/bin", "/usr/bin"].map(|folder| format!("{folder}/{tool}"));
            if let Some(found) = found.iter().find(|path| std::path::Path::new(path).exists()) {
                std::os::unix::fs::symlink(found, tools.join(tool)).expect("a new link");
            }
        }
        let path = format!("{}:{}", own.display(), tools.display());
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("it is bound").port();
        Self { world, path, port }
    }

    fn serve(&self, arguments: &str) -> Ran {
        self.serve_with(arguments, &[])
    }

    fn serve_with(&self, arguments: &str, variables: &[(&str, &str)]) -> Ran {
        let mut command = self.world.command(&format!("serve {arguments}"));
        command.env("PATH", &self.path).envs(variables.iter().copied());
        self.world.ran(&mut command)
    }

    fn install(&self, more: &str) -> Ran {
        self.serve(&format!("--install --listen {} {more}", self.port))
    }

    fn is_served(&self) -> bool {
        std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }

    fn told(&self) -> Vec<String> {
        let told = self.world.read("home/told");
        std::fs::remove_file(self.world.folder.join("home/told")).expect("it is there");
        told.lines().map(str::to_owned).collect()
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_gateway_is_installed_changed_and_removed() {
    let session = Session::new("whole", Some(SYSTEMCTL));
    let Session { world, port, .. } = &session;
    let Ran { code, out, err } = session.install("--profile max");
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(
        out.contains(&format!("foveal is running at http://127.0.0.1:{port}, and starts ")),
        "{out}"
    );
    assert!(session.is_served());
    assert_eq!(session.told(), ["--user daemon-reload", "--user enable --now foveal.service"]);
    let unit = world.read(UNIT);
    let line = format!(" serve --listen {port} --profile max\n");
    assert!(unit.contains("ExecStart=/") && unit.contains(&line), "{unit}");

    // With other arguments it runs as they say, and with the same it changes nothing.
    let again = session.install("--profile lossless");
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(world.read(UNIT).contains("--profile lossless\n"));
    assert_eq!(session.told()[2], "--user restart foveal.service");
    let unit = world.read(UNIT);
    assert_eq!(session.install("--profile lossless").code, Some(0));
    assert_eq!(world.read(UNIT), unit);
    session.told();

    let Ran { code, out, err } = session.serve("--uninstall");
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("foveal no longer starts by itself"), "{out}");
    assert_eq!(session.told(), ["--user disable --now foveal.service", "--user daemon-reload"]);
    assert!(!world.folder.join(UNIT).exists());
    let again = session.serve("--uninstall");
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
    assert!(again.out.contains("foveal is not installed as a service"), "{again:?}");
}

/// In a container, say: the file is there, and what is to do with it is said.
#[test]
fn where_no_systemd_runs_the_unit_is_written_and_the_way_on_is_said() {
    let no_bus = "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n";
    for (test, systemctl, why) in [
        ("bus", Some(no_bus), "Failed to connect to bus: No medium found"),
        ("absent", None, "there is no `systemctl`"),
    ] {
        let session = Session::new(test, systemctl);
        let Ran { code, out, err } = session.install("");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        let told = one_line(&err);
        assert!(told.contains("foveal.service, but systemd did not start it"), "{told}");
        assert!(told.contains(why), "{told}");
        assert!(
            told.contains("`systemctl --user daemon-reload && systemctl --user enable"),
            "{told}"
        );
        assert!(session.world.folder.join(UNIT).exists());
        session.world.write("home/.config/systemd/user/default.target.wants/keep", "");
        let link = session.world.folder.join(UNIT).with_file_name("default.target.wants");
        std::os::unix::fs::symlink(session.world.folder.join(UNIT), link.join("foveal.service"))
            .expect("a new link");
        let Ran { code, out, err } = session.serve("--uninstall");
        assert_eq!(code, Some(0), "{out}{err}");
        assert!(one_line(&err).contains("systemd could not be notified: "), "{err}");
        assert!(!session.world.folder.join(UNIT).exists());
        assert!(std::fs::symlink_metadata(link.join("foveal.service")).is_err());
    }
}

#[test]
fn what_cannot_be_a_service_is_refused_before_anything_is_written() {
    let session = Session::new("refused", Some(SYSTEMCTL));
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("it is bound").port();
    let answer = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = taken.accept().expect("a connection");
        assert!(stream.read(&mut [0; 512]).expect("a request") > 0);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nhello\n").expect("it is read");
    });
    for (arguments, told) in [
        ("--listen 0".to_owned(), "the port 0 changes at each start"),
        (format!("--listen 0.0.0.0:{}", session.port), "write FOVEAL_SERVE_TOKEN=… into"),
        (format!("--listen {port}"), "another program is listening at"),
        ("--upstream file:///x".to_owned(), "error: "),
    ] {
        let Ran { code, err, .. } = session.serve(&format!("--install {arguments}"));
        assert_eq!(code, Some(2), "{arguments}: {err}");
        assert!(one_line(&err).contains(told), "{arguments}: {err}");
        assert!(!session.world.folder.join(UNIT).exists(), "{arguments}");
    }
    answer.join().expect("it was asked");
    // A file of that name that somebody else wrote.
    session.world.write(UNIT, "[Service]\nExecStart=/bin/true\n");
    for arguments in ["--install", "--uninstall"] {
        let Ran { code, err, .. } = session.serve(arguments);
        assert_eq!(code, Some(2), "{err}");
        assert!(one_line(&err).contains("was not written by foveal: rename it"), "{err}");
    }
    assert!(session.world.read(UNIT).contains("/bin/true"));
}

/// A service sees no variable of the shell: what it needs is written, but for keys.
#[test]
fn variables_are_written_and_keys_are_not() {
    let session = Session::new("variables", None);
    let variables = [
        ("NO_PROXY", "a.example"),
        ("HTTPS_PROXY", "http://me:hunter2@proxy.example"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "key=hunter2"),
        ("FOVEAL_SERVE_TOKEN", "0123456789abcdef0123-hunter2"),
    ];
    let arguments = format!("--install --listen {}", session.port);
    let Ran { err, .. } = session.serve_with(&arguments, &variables);
    let unit = session.world.read(UNIT);
    assert!(unit.contains("\nEnvironment=NO_PROXY=a.example\n"), "{unit}");
    assert!(!unit.contains("hunter2") && !err.contains("hunter2"), "{unit}{err}");
    let told = one_line(&err);
    assert!(
        told.contains("HTTPS_PROXY, FOVEAL_SERVE_TOKEN, OTEL_EXPORTER_OTLP_HEADERS. Write it into"),
        "{told}"
    );
    let file = unit.lines().find_map(|line| line.strip_prefix("EnvironmentFile=-"));
    assert!(file.is_some_and(|file| file.ends_with("/home/.config/foveal/serve.env")), "{unit}");
}
