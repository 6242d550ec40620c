//! Loads session files.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use foveal_session_readers::{ReadError, SessionFormat};
use foveal_transcript::RecordedSession;

use super::error::{LoadError, LoadResult, SkippedPart};
use super::session_file::SessionFile;
use super::{opencode, sidecar_files};

/// Reads all sessions of a file into `sink`, and returns the parts that were skipped.
///
/// # Errors
/// Returns a [`LoadError`] if the file has no session, or if reading fails midway.
pub fn load_sessions(
    file: &SessionFile,
    format: Option<SessionFormat>,
    sink: &mut dyn FnMut(RecordedSession),
) -> LoadResult {
    if let Some(loaded) = opencode::load_opencode_sessions(file, format, sink) {
        return loaded;
    }
    let path = file.path.clone();
    let name = path.display().to_string();
    let file = match File::open(&path).and_then(open_decompressed) {
        Ok(file) => file,
        Err(why) => return Err(LoadError::Unreadable { path, why }),
    };
    let directory = sidecar_files::working_directory(&path);
    let mut placed = |mut session: RecordedSession| {
        for conversation in &mut session.conversations {
            if conversation.directory.is_none() {
                conversation.directory.clone_from(&directory);
            }
        }
        sink(session);
    };
    let read = match format {
        Some(format) => foveal_session_readers::read_sessions(format, &name, file, &mut placed),
        None => foveal_session_readers::detect_and_read_sessions(&name, file, &mut placed)
            .map(|(_, problems)| problems),
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
    Ok(problems.into_iter().map(SkippedPart::Problem).collect())
}

/// Opens a reader for a file, through a decoder if zstd compressed it.
fn open_decompressed(file: File) -> io::Result<Box<dyn BufRead>> {
    /// The first bytes of a file that zstd compressed.
    const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
    /// The size of the read buffer.
    const BUFFER_BYTES: usize = 1 << 16;
    let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
    if !file.fill_buf()?.starts_with(&ZSTD_MAGIC) {
        return Ok(Box::new(file));
    }
    let inner = zstd::stream::read::Decoder::with_buffer(file)?;
    Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, inner)))
}
