//! The file by which foveal and a guard communicate: it holds the program to start, and later how
//! that ended.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::FileExt as _;

use crate::ProcessExit;

/// Longest exit record, in bytes.
const EXIT_BYTES_MAX: usize = 32;

/// Bytes of the header, which holds the length of the rest.
const HEADER_BYTES: usize = 16;

/// Writes the program and its arguments, each with a trailing NUL. The guard does not take them
/// before [`release_program`]. Returns their length, which that needs.
pub(super) fn write_program<'a>(
    file: &File,
    words: impl Iterator<Item = &'a OsStr>,
) -> io::Result<usize> {
    let bytes: Vec<u8> =
        words.flat_map(|word| word.as_bytes().iter().copied().chain([0])).collect();
    file.write_all_at(&bytes, HEADER_BYTES as u64)?;
    Ok(bytes.len())
}

/// Lets the guard take the program, whose record is `length` bytes long.
pub(super) fn release_program(file: &File, length: usize) -> io::Result<()> {
    file.write_all_at(format!("{length:0width$}\n", width = HEADER_BYTES - 1).as_bytes(), 0)
}

/// Takes the program and its arguments and empties the file; `None` before they are released.
pub(super) fn take_program(file: &File) -> io::Result<Option<(OsString, Vec<OsString>)>> {
    let mut head = [0; HEADER_BYTES];
    // The header is zero before the program is released.
    if file.read_at(&mut head, 0)? < HEADER_BYTES || head[HEADER_BYTES - 1] != b'\n' {
        return Ok(None);
    }
    let length = std::str::from_utf8(&head).ok().and_then(|head| head.trim_end().parse().ok());
    let mut bytes = vec![0; length.ok_or(io::ErrorKind::InvalidData)?];
    file.read_exact_at(&mut bytes, HEADER_BYTES as u64)?;
    file.set_len(0)?;
    let ended = bytes.split_inclusive(|byte| *byte == 0);
    let mut words =
        ended.filter_map(|word| Some(OsString::from_vec(word.strip_suffix(&[0])?.to_vec())));
    let program = words.next().ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some((program, words.collect())))
}

/// Writes `code 1` or `signal 9`, and a newline.
pub(super) fn write_exit(file: &File, ending: ProcessExit) -> io::Result<()> {
    let text = match ending {
        ProcessExit::Code(code) => format!("code {code}\n"),
        ProcessExit::Signal(signal) => format!("signal {signal}\n"),
    };
    file.write_all_at(text.as_bytes(), 0)
}

/// Returns how the program ended; `None` if that is not written completely.
pub(super) fn read_exit(file: &File) -> Option<ProcessExit> {
    let mut bytes = [0; EXIT_BYTES_MAX];
    let read = file.read_at(&mut bytes, 0).ok()?;
    let text = std::str::from_utf8(&bytes[..read]).ok()?;
    let (kind, number) = text.strip_suffix('\n')?.split_once(' ')?;
    let number = number.parse().ok()?;
    match kind {
        "code" => Some(ProcessExit::Code(number)),
        "signal" => Some(ProcessExit::Signal(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let file = tempfile::tempfile().expect("a file");
        let words = ["/bin/bash", "-c", "", "echo 'a\nb'", "\u{e9}\n"];
        assert_eq!(take_program(&file).expect("a file"), None);
        let length = write_program(&file, words.iter().map(OsStr::new)).expect("a file");
        assert_eq!(take_program(&file).expect("a file"), None, "they are not given yet");
        release_program(&file, length).expect("a file");
        assert_eq!(read_exit(&file), None);
        let (program, arguments) = take_program(&file).expect("a file").expect("they are there");
        assert_eq!(program, words[0]);
        assert_eq!(arguments, words[1..]);
        assert_eq!(read_exit(&file), None);
        assert_eq!(take_program(&file).expect("a file"), None, "they were taken");
        for ending in [ProcessExit::Code(0), ProcessExit::Code(255), ProcessExit::Signal(9)] {
            file.set_len(0).expect("a file");
            write_exit(&file, ending).expect("a file");
            assert_eq!(read_exit(&file), Some(ending));
        }
        file.set_len(5).expect("a file");
        assert_eq!(read_exit(&file), None, "it may not be whole");
    }
}
