//! What passes between foveal and a guard, in one file: first which program to start, then how
//! that ended.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::FileExt as _;

use crate::Ending;

/// The longest that is written of an ending, in bytes.
const ENDING_BYTES_MAX: usize = 32;

/// Bytes of the number that stands first: how long the rest is.
const HEAD_BYTES: usize = 16;

/// Writes the program and its arguments, each with the NUL that none of them can hold. Nobody
/// takes them before [`give_program`]; how long they are is what that has to be told.
pub(super) fn write_program<'a>(
    file: &File,
    words: impl Iterator<Item = &'a OsStr>,
) -> io::Result<usize> {
    let bytes: Vec<u8> =
        words.flat_map(|word| word.as_bytes().iter().copied().chain([0])).collect();
    file.write_all_at(&bytes, HEAD_BYTES as u64)?;
    Ok(bytes.len())
}

/// Lets the guard take what was written, which is so many bytes long.
pub(super) fn give_program(file: &File, length: usize) -> io::Result<()> {
    file.write_all_at(format!("{length:0width$}\n", width = HEAD_BYTES - 1).as_bytes(), 0)
}

/// The program and its arguments, once they are there; `None` before. The file is empty
/// afterwards.
pub(super) fn take_program(file: &File) -> io::Result<Option<(OsString, Vec<OsString>)>> {
    let mut head = [0; HEAD_BYTES];
    // Before they are given, there are zeros.
    if file.read_at(&mut head, 0)? < HEAD_BYTES || head[HEAD_BYTES - 1] != b'\n' {
        return Ok(None);
    }
    let length = std::str::from_utf8(&head).ok().and_then(|head| head.trim_end().parse().ok());
    let mut bytes = vec![0; length.ok_or(io::ErrorKind::InvalidData)?];
    file.read_exact_at(&mut bytes, HEAD_BYTES as u64)?;
    file.set_len(0)?;
    let ended = bytes.split_inclusive(|byte| *byte == 0);
    let mut words =
        ended.filter_map(|word| Some(OsString::from_vec(word.strip_suffix(&[0])?.to_vec())));
    let program = words.next().ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some((program, words.collect())))
}

/// Writes `code 1` or `signal 9`, and the end of the line.
pub(super) fn write_ending(file: &File, ending: Ending) -> io::Result<()> {
    let text = match ending {
        Ending::Code(code) => format!("code {code}\n"),
        Ending::Signal(signal) => format!("signal {signal}\n"),
    };
    file.write_all_at(text.as_bytes(), 0)
}

/// How the program ended, once that is written.
pub(super) fn read_ending(file: &File) -> Option<Ending> {
    let mut bytes = [0; ENDING_BYTES_MAX];
    let read = file.read_at(&mut bytes, 0).ok()?;
    let text = std::str::from_utf8(&bytes[..read]).ok()?;
    let (kind, number) = text.strip_suffix('\n')?.split_once(' ')?;
    let number = number.parse().ok()?;
    match kind {
        "code" => Some(Ending::Code(number)),
        "signal" => Some(Ending::Signal(number)),
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
        give_program(&file, length).expect("a file");
        assert_eq!(read_ending(&file), None);
        let (program, arguments) = take_program(&file).expect("a file").expect("they are there");
        assert_eq!(program, words[0]);
        assert_eq!(arguments, words[1..]);
        assert_eq!(read_ending(&file), None);
        assert_eq!(take_program(&file).expect("a file"), None, "they were taken");
        for ending in [Ending::Code(0), Ending::Code(255), Ending::Signal(9)] {
            file.set_len(0).expect("a file");
            write_ending(&file, ending).expect("a file");
            assert_eq!(read_ending(&file), Some(ending));
        }
        file.set_len(5).expect("a file");
        assert_eq!(read_ending(&file), None, "it may not be whole");
    }
}
