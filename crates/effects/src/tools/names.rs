//! Names of tools as clients spell them.

/// How clients begin the names of a server's tools; those of foveal's own are trusted.
const OWN_PREFIXES: &[&str] =
    &["foveal__", "foveal_", "foveal-", "foveal.", "foveal/", "foveal:", "mcp_foveal_"];

/// The name of one of foveal's tools, if its client says that it is one.
pub(super) fn own_name(name: &str) -> Option<&str> {
    if let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|rest| rest.rsplit_once("__"))
    {
        let is_own = server == "foveal" || server.ends_with("_foveal");
        return is_own.then_some(tool);
    }
    OWN_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))
}

/// A tool's name without what clients put before the names of servers' tools.
pub fn base_name(name: &str) -> &str {
    let of_server = || name.strip_prefix("mcp__")?.rsplit("__").next();
    own_name(name).or_else(of_server).unwrap_or(name)
}
