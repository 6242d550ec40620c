//! The service files: a unit for systemd, and an agent for launchd.

use std::fmt::Write as _;

/// A text in every service file that foveal writes. Files without it are never changed.
pub(super) const GENERATED_MARK: &str = "Written by foveal.";

/// The label by which launchd knows the service.
pub(super) const LABEL: &str = "foveal.serve";

/// The command that an init system starts, with its environment variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServiceCommand {
    /// An absolute path.
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) variables: Vec<(&'static str, String)>,
}

/// Returns the systemd unit. `variables_file` is an optional file with further variables.
pub(super) fn systemd_unit(command: &ServiceCommand, variables_file: &str) -> String {
    // systemd expands no variables in the path of the program.
    let program = quote_systemd_word(&command.program);
    let arguments =
        command.arguments.iter().map(|word| quote_systemd_word(&word.replace('$', "$$")));
    let line = std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ");
    let variables = command.variables.iter().map(|(name, value)| {
        let stated = quote_systemd_word(&format!("{name}={value}"));
        format!("Environment={stated}\n")
    });
    format!(
        "# {GENERATED_MARK} `foveal serve --uninstall` removes it.\n[Unit]\nDescription=foveal, between \
         coding agents and their models\n\n[Service]\nExecStart={line}\n{}EnvironmentFile=-{}\n\
         Restart=on-failure\nRestartSec=5\n\n[Install]\nWantedBy=default.target\n",
        variables.collect::<String>(),
        variables_file.replace('%', "%%"),
    )
}

/// Returns a word with systemd's quoting, if it needs any.
fn quote_systemd_word(word: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "/._-+=:,@$".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let mut text = String::from("\"");
    for sign in word.chars() {
        match sign {
            '"' | '\\' => text.extend(['\\', sign]),
            '%' => text.push_str("%%"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            sign => text.push(sign),
        }
    }
    text.push('"');
    text
}

/// Returns the property list of the launchd agent, which logs to `log`.
pub(super) fn launchd_agent(command: &ServiceCommand, log: &str) -> String {
    let words = std::iter::once(&command.program).chain(&command.arguments);
    let words: String =
        words.map(|word| format!("    {}\n", xml_element("string", word))).collect();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST \
         1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<!-- {GENERATED_MARK} -->\n<plist \
         version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>{LABEL}</string>\n  \
         <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n"
    );
    if !command.variables.is_empty() {
        text.push_str("  <key>EnvironmentVariables</key>\n  <dict>\n");
        for (name, value) in &command.variables {
            // Writing to a `String` cannot fail.
            let _ = writeln!(
                text,
                "    {}\n    {}",
                xml_element("key", name),
                xml_element("string", value)
            );
        }
        text.push_str("  </dict>\n");
    }
    let log = xml_element("string", log);
    text + &format!(
        "  <key>RunAtLoad</key>\n  <true/>\n  <key>KeepAlive</key>\n  <dict>\n    \
         <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n  <key>StandardOutPath</key>\n  \
         {log}\n  <key>StandardErrorPath</key>\n  {log}\n</dict>\n</plist>\n"
    )
}

/// Returns an XML element with this text, escaped.
fn xml_element(name: &str, text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<{name}>{text}</{name}>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> ServiceCommand {
        ServiceCommand {
            program: "/home/jos\u{e9}/my tools/100%/$x/foveal".to_owned(),
            arguments: [
                "serve",
                "--listen",
                "4100",
                "--upstream",
                "own=http://a.example/$1?\"\\<&>",
            ]
            .map(str::to_owned)
            .to_vec(),
            variables: vec![
                ("XDG_DATA_HOME", "/data".to_owned()),
                ("HTTPS_PROXY", "http://p.example/a b%20$".to_owned()),
            ],
        }
    }

    #[test]
    fn a_unit_quotes_what_systemd_would_read_otherwise() {
        let expected = r#"# Written by foveal. `foveal serve --uninstall` removes it.
[Unit]
Description=foveal, between coding agents and their models

[Service]
ExecStart="/home/josé/my tools/100%%/$x/foveal" serve --listen 4100 --upstream "own=http://a.example/$$1?\"\\<&>"
Environment=XDG_DATA_HOME=/data
Environment="HTTPS_PROXY=http://p.example/a b%%20$"
EnvironmentFile=-/home/josé/100%%/serve.env
Restart=on-failure
RestartSec=5

[Install]
WantedBy=default.target
"#;
        assert_eq!(systemd_unit(&command(), "/home/jos\u{e9}/100%/serve.env"), expected);
    }

    #[test]
    fn an_agent_of_launchd_escapes_what_is_no_text_in_xml() {
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by foveal. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>foveal.serve</string>
  <key>ProgramArguments</key>
  <array>
    <string>/home/josé/my tools/100%/$x/foveal</string>
    <string>serve</string>
    <string>--listen</string>
    <string>4100</string>
    <string>--upstream</string>
    <string>own=http://a.example/$1?"\&lt;&amp;&gt;</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>XDG_DATA_HOME</key>
    <string>/data</string>
    <key>HTTPS_PROXY</key>
    <string>http://p.example/a b%20$</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardOutPath</key>
  <string>/Users/a/Library/Logs/foveal-serve.log</string>
  <key>StandardErrorPath</key>
  <string>/Users/a/Library/Logs/foveal-serve.log</string>
</dict>
</plist>
"#;
        let log = "/Users/a/Library/Logs/foveal-serve.log";
        assert_eq!(launchd_agent(&command(), log), expected);
    }
}
