//! Files that are no text, told by how they begin.

use std::fmt;

use crate::text::TextFile;

/// Bytes shown of a file that is no text.
const SHOWN_BYTES_MAX: usize = 16;

/// Beginnings and what they are.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (b"%PDF-", "PDF document"),
    (b"\x7FELF", "ELF program or library"),
    (b"\xCF\xFA\xED\xFE", "Mach-O program or library"),
    (b"\xFE\xED\xFA\xCF", "Mach-O program or library"),
    (b"\xCA\xFE\xBA\xBE", "Java class or Mach-O universal binary"),
    (b"\0asm", "WebAssembly module"),
    (b"PK\x03\x04", "ZIP archive, or a document made of one"),
    (b"PK\x05\x06", "empty ZIP archive"),
    (b"\x1F\x8B", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xFD7zXZ\0", "xz data"),
    (b"\x28\xB5\x2F\xFD", "Zstandard data"),
    (b"7z\xBC\xAF\x27\x1C", "7-Zip archive"),
    (b"Rar!\x1A\x07", "RAR archive"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"OggS", "Ogg media"),
    (b"fLaC", "FLAC audio"),
    (b"ID3", "MP3 audio"),
    (b"wOFF", "WOFF font"),
    (b"wOF2", "WOFF2 font"),
    (b"OTTO", "OpenType font"),
    (b"\0\x01\0\0\0", "TrueType font"),
    (b"\x1A\x45\xDF\xA3", "Matroska or WebM video"),
    (b"\x93NUMPY", "NumPy array"),
    (b"PAR1", "Parquet table"),
    (b"!<arch>\n", "static library"),
    (b"II*\0", "TIFF image"),
    (b"MM\0*", "TIFF image"),
    (b"BM", "BMP image"),
    (b"MZ", "Windows program or library"),
    (b"\x80\x04\x95", "Python pickle"),
    (b"GGUF", "GGUF model"),
];

/// Beginnings that only count where the rest is no text: words may begin so too.
const SHORT: usize = 4;

/// A file that is no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// What it seems to be, if its beginning tells.
    pub what: Option<&'static str>,
    /// Its first bytes, 16 at most.
    pub head: Vec<u8>,
}

impl Binary {
    /// What `bytes` are if not text, `whole` saying whether they are all of the file.
    pub(super) fn of(bytes: &[u8], whole: bool) -> Option<Self> {
        let beginning = BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning));
        let is_text = || {
            // A part may end within a character or a line.
            let line =
                bytes.iter().rposition(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
            let part = if whole { bytes } else { &bytes[..line] };
            TextFile::decode(part).is_ok() || (!whole && TextFile::decode(bytes).is_ok())
        };
        match beginning {
            Some((beginning, what)) if beginning.len() > SHORT || !is_text() => {
                Some(Self { what: Some(what), ..Self::unknown(bytes) })
            }
            None if !is_text() => Some(Self { what: of_media(bytes), ..Self::unknown(bytes) }),
            _ => None,
        }
    }

    /// Of no known kind.
    pub(super) fn unknown(bytes: &[u8]) -> Self {
        let head = bytes[..bytes.len().min(SHOWN_BYTES_MAX)].to_vec();
        Self { what: None, head }
    }
}

/// Media that tell their kind some bytes behind the beginning.
fn of_media(bytes: &[u8]) -> Option<&'static str> {
    if bytes.get(4..8) == Some(b"ftyp") {
        return Some("MP4, QuickTime or HEIF media");
    }
    match (bytes.get(..4), bytes.get(8..12)) {
        (Some(b"RIFF"), Some(b"WAVE")) => Some("WAVE audio"),
        (Some(b"RIFF"), Some(b"AVI ")) => Some("AVI video"),
        _ if bytes.get(257..262) == Some(b"ustar") => Some("tar archive"),
        _ => None,
    }
}

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} beginning with", self.what.unwrap_or("binary file"))?;
        self.head.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
    }
}

#[cfg(test)]
mod tests;
