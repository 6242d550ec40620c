//! The root folders that a client names.
#![expect(deprecated, reason = "most clients speak versions of the protocol that have roots")]

use std::path::PathBuf;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::Root;
use rmcp::service::Peer;
use url::Url;

/// How long a client may take to name its roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(5);

/// A client's answer about its root folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClientRoots {
    Named(RootFolders),
    /// It has no roots capability.
    Unsupported,
    /// It was asked and did not answer.
    Unanswered,
    /// It must be asked before the request can be answered.
    AskFirst,
}

/// The folders that a client names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RootFolders {
    /// Those that exist on this machine, each once, in the client's order.
    pub(crate) existing: Vec<PathBuf>,
    /// The others, as the client spells them.
    pub(crate) missing: Vec<String>,
}

/// Asks the client for its folders while one of its requests runs.
pub(crate) async fn request_roots(peer: &Peer<RoleServer>) -> ClientRoots {
    match tokio::time::timeout(ROOTS_TIMEOUT, peer.list_roots()).await {
        Ok(Ok(listed)) => ClientRoots::Named(parse_roots(&listed.roots)),
        Ok(Err(_)) | Err(_) => ClientRoots::Unanswered,
    }
}

/// Separates the roots that are folders of this machine from the others.
pub(crate) fn parse_roots(roots: &[Root]) -> RootFolders {
    let mut folders = RootFolders::default();
    for root in roots {
        let path = Url::parse(&root.uri).ok().and_then(|uri| uri.to_file_path().ok());
        match path.filter(|path| path.is_dir()) {
            Some(path) if folders.existing.contains(&path) => {}
            Some(path) => folders.existing.push(path),
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
        assert_eq!(
            parse_roots(&roots),
            RootFolders { existing: vec![spaced], missing: missing.into() }
        );
    }
}
