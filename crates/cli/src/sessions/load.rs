//! Opens session files.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context, bail};
use foveal_transcript::Session;
use foveal_wire::{Format, ReadError};

use super::error::{LoadError, Loaded, NotRead};
use super::file::SessionFile;
use super::{beside, find, opencode, own_runs};

/// Reads all sessions of a file and gives each to `sink`; returns what could not be read.
///
/// # Errors
/// [`LoadError`] if the file gives no session at all, or reading failed on the way.
pub(crate) fn load(
    file: &SessionFile,
    format: Option<Format>,
    sink: &mut dyn FnMut(Session),
) -> Loaded {
    if file.is_own {
        return own_runs::load(file, sink);
    }
    if let Some(loaded) = opencode::load(file, format, sink) {
        return loaded;
    }
    let path = file.path.clone();
    let name = path.display().to_string();
    let file = match File::open(&path).and_then(decompressed) {
        Ok(file) => file,
        Err(why) => return Err(LoadError::Unreadable { path, why }),
    };
    let directory = beside::directory(&path);
    let mut placed = |mut session: Session| {
        for conversation in &mut session.conversations {
            if conversation.directory.is_none() {
                conversation.directory.clone_from(&directory);
            }
        }
        sink(session);
    };
    let read = match format {
        Some(format) => foveal_wire::read(format, &name, file, &mut placed),
        None => foveal_wire::read_detected(&name, file, &mut placed).map(|(_, problems)| problems),
    };
    let problems = read.map_err(|error| match error {
        ReadError::Io(why) => LoadError::Unreadable { path, why },
        ReadError::Empty => LoadError::Empty { path },
        ReadError::UnknownFormat => LoadError::UnknownFormat { path },
        ReadError::WrongFormat { .. } if format.is_some() => {
            LoadError::WrongFormat { path, why: error }
        }
        ReadError::WrongFormat { .. } => LoadError::Broken { path, why: error },
    })?;
    Ok(problems.into_iter().map(NotRead::Problem).collect())
}

/// What a file holds, also where it is compressed.
fn decompressed(file: File) -> io::Result<Box<dyn BufRead>> {
    /// What a file begins with that zstd compressed.
    const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
    /// Bytes that are read at once.
    const BUFFER_BYTES: usize = 1 << 16;
    let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
    if !file.fill_buf()?.starts_with(&MAGIC) {
        return Ok(Box::new(file));
    }
    let inner = zstd::stream::read::Decoder::with_buffer(file)?;
    Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, inner)))
}

/// Reads the one session at `paths`.
///
/// # Errors
/// If there is none, more than one, or it cannot be read.
pub(crate) fn load_one(paths: &[PathBuf], format: Option<Format>) -> anyhow::Result<Session> {
    let found = find::find(paths, format)?;
    let mut first: Option<(Session, &SessionFile)> = None;
    let mut more: Option<String> = None;
    for file in &found.files {
        load(file, format, &mut |session| match &first {
            None => first = Some((session, file)),
            Some(_) => more = Some(session.id),
        })?;
        if let (Some((one, at)), Some(two)) = (&first, &more) {
            let (at, also) = (at.path.display(), file.path.display());
            if at.to_string() == also.to_string() {
                let one = &one.id;
                let way = match file.session {
                    Some(_) => format!("export one: `opencode export {one} > session.json`"),
                    None => "name a file of one".to_owned(),
                };
                bail!("`{at}` holds several sessions (`{one}`, `{two}` …): {way}");
            }
            bail!(
                "there are several sessions (`{}` in `{at}`, `{two}` in `{also}` …): name the file \
                 of one",
                one.id
            );
        }
    }
    first.map(|(session, _)| session).context("there is no session at this path")
}
