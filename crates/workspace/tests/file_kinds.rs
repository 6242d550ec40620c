//! Kinds of files, before and after they are read.

use std::fs;
use std::os::unix::net::UnixListener;

use foveal_transcript::CancelToken;
use foveal_workspace::{FileContent, ReadLimits, WorkspaceRoots, read_file};
use rustix::fs::{CWD, FileType, Mode, mknodat};

#[test]
fn files_are_described_and_special_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::write(at("text"), "a\r\n").unwrap();
    fs::write(at("binary"), b"\x7FELF\0\0\0\0").unwrap();
    fs::write(at("image"), b"GIF89a\x0A\0\x14\0").unwrap();
    fs::write(at("large"), "line\n".repeat(1000)).unwrap();
    fs::write(at("large.bin"), vec![0; 5000]).unwrap();
    fs::write(at("notes.ipynb"), r#"{"nbformat": 4, "cells": []}"#).unwrap();
    fs::write(at("broken.ipynb"), "{").unwrap();
    mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let _listener = UnixListener::bind(at("socket")).unwrap();
    let roots = WorkspaceRoots::open(&[folder.path()]).unwrap();
    let limits = ReadLimits { text_bytes_max: 4000, image_bytes_max: 4000 };
    for (path, expected) in [
        ("folder", "`folder` is a folder, which cannot be read as a file"),
        (".", "`.` is a folder, which cannot be read as a file"),
        ("pipe", "`pipe` is a named pipe, which cannot be read as a file"),
        ("socket", "`socket` is a socket, which cannot be read as a file"),
        ("empty", "empty file"),
        ("text", "text, CRLF"),
        (
            "binary",
            "ELF program or library beginning with 7f 45 4c 46 00 00 00 00, 8 bytes; not shown",
        ),
        ("image", "GIF image, 10 x 20, 10 bytes"),
        ("large", "text, 5000 bytes; at most 4000 are read at once"),
        (
            "large.bin",
            "binary file beginning with 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00, 5000 \
             bytes; not shown",
        ),
        ("notes.ipynb", "notebook"),
        ("broken.ipynb", "text, no newline at the end"),
    ] {
        let said = match read_file(&roots.resolve(path).unwrap(), &limits, &CancelToken::NEVER) {
            Err(error) => error.to_string(),
            Ok(file) => match (&file.content, file.description()) {
                (_, Some(description)) => description,
                (FileContent::Text(text), _) => {
                    format!("text, {}", text.remarks().unwrap_or_default())
                }
                _ => "notebook".to_owned(),
            },
        };
        assert_eq!(said, expected, "{path}");
    }
    let stopped =
        read_file(&roots.resolve("text").unwrap(), &limits, &CancelToken::from_fn(&|| true))
            .unwrap_err();
    assert_eq!(stopped.to_string(), "stopped while reading `text`");
}
