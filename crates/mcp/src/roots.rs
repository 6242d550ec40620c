//! The folders a client works in.
#![expect(deprecated, reason = "most clients speak versions of the protocol that have roots")]

use std::path::PathBuf;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::Root;
use rmcp::service::Peer;
use url::Url;

/// How long a client may take to name its roots.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a client says of its folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClientRoots {
    Named(Folders),
    /// It cannot be asked.
    Unsupported,
    /// It was asked and does not name them.
    Unanswered,
    /// It has to be asked before the request can be answered.
    AskFirst,
}

/// The folders that a client names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Folders {
    /// Those on this machine, each once, in the client's order.
    pub(crate) there: Vec<PathBuf>,
    /// What it names besides, as it names it.
    pub(crate) missing: Vec<String>,
}

/// Asks the client for its folders while a request of its own runs.
pub(crate) async fn ask(peer: &Peer<RoleServer>) -> ClientRoots {
    match tokio::time::timeout(PATIENCE, peer.list_roots()).await {
        Ok(Ok(listed)) => ClientRoots::Named(folders(&listed.roots)),
        Ok(Err(_)) | Err(_) => ClientRoots::Unanswered,
    }
}

/// Tells the roots that are folders of this machine from the others.
pub(crate) fn folders(roots: &[Root]) -> Folders {
    let mut folders = Folders::default();
    for root in roots {
        let path = Url::parse(&root.uri).ok().and_then(|uri| uri.to_file_path().ok());
        match path.filter(|path| path.is_dir()) {
            Some(path) if folders.there.contains(&path) => {}
            Some(path) => folders.there.push(path),
            None => folders.missing.push(root.uri.clone()),
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_folders_of_this_machine() {
        let here = tempfile::tempdir().expect("a folder can be made");
        let spaced = here.path().join("a b");
        std::fs::create_dir(&spaced).expect("a folder can be made");
        let uri = Url::from_file_path(&spaced).expect("the path is absolute");
        assert!(uri.as_str().ends_with("a%20b"), "{uri}");
        let named =
            [uri.as_str(), "file:///no/such/folder", "https://a.example/b", uri.as_str(), ""];
        let roots: Vec<Root> = named.into_iter().map(Root::new).collect();
        let missing = ["file:///no/such/folder", "https://a.example/b", ""].map(str::to_owned);
        assert_eq!(folders(&roots), Folders { there: vec![spaced], missing: missing.into() });
    }
}
