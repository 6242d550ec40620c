//! Replays recorded sessions over HTTP: each request as the recording's agent would have sent it,
//! in each protocol, through a running gateway to a provider that simulates prompt caching and
//! bills by it, and the same without the gateway. The pauses are the recorded ones, by a clock.
//!
//!     cargo run --release -p foveal-gateway --example replay_http -- ../shared/sessions/atif
//!
//! `--every N` takes each Nth session, `--route NAME` and `--profile NAME` only these (repeat
//! them for several). `--clients N` has so many clients ask at once, and `--decision-time MS` says
//! how long a gateway may take to decide (60,000 if not given, so that what is decided is measured,
//! not how fast). Progress goes to standard error.

mod measure;

use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use foveal_engine::profile::Profile;
use rayon::prelude::*;

use measure::{Load, ROUTES, Recording, Route, measure, table};

/// The profiles that can be used live.
const PROFILES: [&str; 4] = ["lossless", "balanced", "curated", "max"];

/// The number of recordings between two progress messages.
const TOLD_EVERY: usize = 20;

struct Arguments {
    folder: PathBuf,
    every: usize,
    routes: Vec<&'static Route>,
    profiles: Vec<&'static Profile>,
    load: Load,
}

fn arguments() -> std::io::Result<Arguments> {
    let wrong = |what: String| std::io::Error::new(std::io::ErrorKind::InvalidInput, what);
    let mut given = std::env::args().skip(1);
    let (mut folder, mut every) = (None, 1);
    let mut load = Load::default();
    let (mut routes, mut profiles) = (Vec::new(), Vec::new());
    while let Some(argument) = given.next() {
        let mut value = || given.next().ok_or_else(|| wrong(format!("{argument} needs a value")));
        match argument.as_str() {
            "--every" => every = value()?.parse().map_err(std::io::Error::other)?,
            "--clients" => load.clients = value()?.parse().map_err(std::io::Error::other)?,
            "--decision-time" => {
                let ms = value()?.parse().map_err(std::io::Error::other)?;
                load.decision = Duration::from_millis(ms);
            }
            "--route" => {
                let name = value()?;
                let route = ROUTES.iter().find(|route| route.name == name);
                routes.push(route.ok_or_else(|| wrong(format!("no route `{name}`")))?);
            }
            "--profile" => {
                let name = value()?;
                let profile = Profile::find(&name).filter(|it| PROFILES.contains(&it.name));
                profiles.push(profile.ok_or_else(|| wrong(format!("no live profile `{name}`")))?);
            }
            other => folder = Some(PathBuf::from(other)),
        }
    }
    if routes.is_empty() {
        routes = ROUTES.iter().collect();
    }
    if profiles.is_empty() {
        profiles = PROFILES.iter().filter_map(|name| Profile::find(name)).collect();
    }
    Ok(Arguments {
        folder: folder.ok_or_else(|| wrong("name a folder of ATIF sessions".to_owned()))?,
        every: every.max(1),
        routes,
        profiles,
        load: Load { clients: load.clients.max(1), ..load },
    })
}

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path()) {
        if path.is_dir() {
            files(&path, all);
        } else {
            all.push(path);
        }
    }
}

fn recordings(file: &PathBuf) -> std::io::Result<Vec<Recording>> {
    let name = file.display().to_string();
    let bytes = BufReader::new(std::fs::File::open(file)?);
    let read = foveal_session_readers::read_all_sessions(
        foveal_session_readers::SessionFormat::Atif,
        &name,
        bytes,
    );
    let (sessions, _) = read.map_err(std::io::Error::other)?;
    let conversations = sessions.into_iter().flat_map(|session| session.conversations);
    Ok(conversations.map(|conversation| Recording::new(name.clone(), conversation)).collect())
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(text) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> std::io::Result<String> {
    let mut all = Vec::new();
    files(&arguments.folder, &mut all);
    all.sort();
    let chosen: Vec<PathBuf> = all.into_iter().step_by(arguments.every).collect();
    let read: std::io::Result<Vec<Vec<Recording>>> = chosen.par_iter().map(recordings).collect();
    let recordings: Vec<Recording> = read?.into_iter().flatten().collect();
    eprintln!("{} conversations", recordings.len());
    let measured = measure(
        &recordings,
        &arguments.routes,
        &arguments.profiles,
        arguments.load,
        &|route, profile, done| {
            if done % TOLD_EVERY == 0 || done == recordings.len() {
                eprintln!("{route} {profile}: {done}");
            }
        },
    )?;
    Ok(table(&measured))
}
