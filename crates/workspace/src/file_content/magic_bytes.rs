//! Detection of binary files by their magic bytes.

use std::fmt;

use crate::text::TextFile;

/// Bytes of a binary file that are shown.
const SHOWN_BYTES_MAX: usize = 16;

/// File signatures and format names.
const SIGNATURES: &[(&[u8], &str)] = &[
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

/// Signatures of at most this length count only if the file is not text, since words may begin with
/// them.
const SHORT_SIGNATURE_BYTES: usize = 4;

/// A file that is not text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryFile {
    /// The format, if its signature is known.
    pub format_name: Option<&'static str>,
    /// The first bytes, at most 16.
    pub head: Vec<u8>,
}

impl BinaryFile {
    /// Detects a binary file by its bytes, or returns `None` for text. `whole` says whether `bytes`
    /// is the whole file or its beginning.
    pub(super) fn detect(bytes: &[u8], whole: bool) -> Option<Self> {
        let beginning = SIGNATURES.iter().find(|(beginning, _)| bytes.starts_with(beginning));
        let is_text = || {
            // The beginning of a file may end within a character or a line.
            let line =
                bytes.iter().rposition(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
            let part = if whole { bytes } else { &bytes[..line] };
            TextFile::decode(part).is_ok() || (!whole && TextFile::decode(bytes).is_ok())
        };
        match beginning {
            Some((beginning, what)) if beginning.len() > SHORT_SIGNATURE_BYTES || !is_text() => {
                Some(Self { format_name: Some(what), ..Self::with_unknown_format(bytes) })
            }
            None if !is_text() => Some(Self {
                format_name: format_by_inner_signature(bytes),
                ..Self::with_unknown_format(bytes)
            }),
            _ => None,
        }
    }

    /// Returns a binary file of unknown format.
    pub(super) fn with_unknown_format(bytes: &[u8]) -> Self {
        let head = bytes[..bytes.len().min(SHOWN_BYTES_MAX)].to_vec();
        Self { format_name: None, head }
    }
}

/// Returns the format of media and archives whose signature is not at the beginning.
fn format_by_inner_signature(bytes: &[u8]) -> Option<&'static str> {
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

impl fmt::Display for BinaryFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} beginning with", self.format_name.unwrap_or("binary file"))?;
        self.head.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
    }
}

#[cfg(test)]
mod tests;
