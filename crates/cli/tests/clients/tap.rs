//! Keeps what agents and foveal say to each other: a program called `foveal` that starts the real
//! one and copies its input and output to files.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The program that agents are to start in foveal's place.
pub(crate) struct Tap {
    folder: PathBuf,
}

/// A call of one of foveal's tools, as the server got and answered it.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// The text of the answer.
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// A call of the hook: what it was told and what it answered.
#[derive(Debug, Clone)]
pub(crate) struct Hooked {
    pub(crate) told: Value,
    /// Nothing where the hook leaves the result as it is.
    pub(crate) answered: Option<Value>,
}

impl Tap {
    /// Makes the program in `folder`.
    pub(crate) fn new(folder: &Path, foveal: &str) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let tap = Self { folder: folder.to_owned() };
        let folder = folder.display();
        let script = format!(
            "#!/bin/sh\n\
             case \"$1\" in\n\
             mcp) tee \"{folder}/mcp.$$.in\" | \"{foveal}\" \"$@\" | tee \"{folder}/mcp.$$.out\" ;;\n\
             hook)\n\
             cat > \"{folder}/hook.$$.in\"\n\
             \"{foveal}\" \"$@\" < \"{folder}/hook.$$.in\" > \"{folder}/hook.$$.out\"\n\
             ended=$?\n\
             cat \"{folder}/hook.$$.out\"\n\
             exit $ended ;;\n\
             *) exec \"{foveal}\" \"$@\" ;;\n\
             esac\n"
        );
        fs::write(tap.program(), script)?;
        fs::set_permissions(tap.program(), fs::Permissions::from_mode(0o755))?;
        Ok(tap)
    }

    /// The program.
    pub(crate) fn program(&self) -> PathBuf {
        self.folder.join("foveal")
    }

    /// The files of one direction, as `mcp.*.in`.
    fn files(&self, start: &str, end: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        let name = |path: &PathBuf| path.file_name().map(|n| n.to_string_lossy().into_owned());
        files.retain(|path| {
            name(path).is_some_and(|name| name.starts_with(start) && name.ends_with(end))
        });
        files.sort();
        files
    }

    /// The calls of tools that were answered, each server's in order.
    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        let mut exchanges = Vec::new();
        for file in self.files("mcp.", ".in") {
            let answers: HashMap<String, Value> = messages(&file.with_extension("out"))
                .into_iter()
                .filter(|message| message.get("method").is_none())
                // The call is made again with what the server asks for.
                .filter(|message| message["result"]["resultType"] != "input_required")
                .map(|message| (message["id"].to_string(), message))
                .collect();
            let calls = messages(&file).into_iter().filter(|m| m["method"] == "tools/call");
            exchanges.extend(calls.filter_map(|call| {
                let answer = answers.get(&call["id"].to_string())?;
                Some(exchange(&call, &answer["result"]))
            }));
        }
        exchanges
    }

    /// The calls of the hook, in no order.
    pub(crate) fn hooked(&self) -> Vec<Hooked> {
        let read = |file: &PathBuf| {
            let told = messages(file).pop().unwrap_or_default();
            Hooked { told, answered: messages(&file.with_extension("out")).pop() }
        };
        self.files("hook.", ".in").iter().map(read).collect()
    }
}

/// The messages in a file, one a line.
fn messages(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn exchange(call: &Value, result: &Value) -> Exchange {
    let content = result["content"].as_array();
    let texts = content.into_iter().flatten().filter_map(|block| block["text"].as_str());
    Exchange {
        tool: call["params"]["name"].as_str().unwrap_or_default().to_owned(),
        arguments: call["params"]["arguments"].clone(),
        text: texts.collect::<Vec<_>>().join("\n"),
        is_error: result["isError"] == true,
    }
}
