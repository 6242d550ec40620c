//! Every recorded session of the development set reads without a problem.

use foveal_session_readers::SessionFormat;

use crate::session_files::{files, read_file, sessions_folder};

#[test]
fn every_atif_file_reads_without_a_problem() {
    let Some(folder) = sessions_folder() else { return };
    let files = files(&folder.join("atif"));
    assert_eq!(files.len(), 122);
    for path in files {
        let (format, sessions, problems) = read_file(&path);
        assert_eq!((format, problems), (SessionFormat::Atif, Vec::new()), "{}", path.display());
        assert_eq!(sessions.len(), 1);
        assert!(!sessions[0].conversations[0].entries().is_empty());
    }
}

#[test]
fn every_original_reads_without_a_problem() {
    let Some(folder) = sessions_folder() else { return };
    let folders = [
        ("claude-code", SessionFormat::ClaudeCode, 10),
        ("pi", SessionFormat::Pi, 2),
        ("swe-agent", SessionFormat::SweAgent, 4),
    ];
    for (name, expected, count) in folders {
        let files = files(&folder.join("original").join(name));
        assert_eq!(files.len(), count, "{name}");
        for path in files {
            let (format, sessions, problems) = read_file(&path);
            assert_eq!((format, problems), (expected, Vec::new()), "{}", path.display());
            assert_eq!(sessions.len(), 1, "{}", path.display());
        }
    }
}
