//! Tool names as clients spell them.

/// Prefixes that clients give to the tools of foveal's server. Tools with these prefixes are
/// trusted.
const OWN_PREFIXES: &[&str] =
    &["foveal__", "foveal_", "foveal-", "foveal.", "foveal/", "foveal:", "mcp_foveal_"];

/// Returns the name of one of foveal's tools, if the client's spelling says that it is one.
pub(super) fn own_tool_name(name: &str) -> Option<&str> {
    if let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|rest| rest.rsplit_once("__"))
    {
        let is_own = server == "foveal" || server.ends_with("_foveal");
        return is_own.then_some(tool);
    }
    OWN_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))
}

/// Returns a tool's name without the prefix that clients give to tools of servers.
pub fn base_tool_name(name: &str) -> &str {
    let of_server = || name.strip_prefix("mcp__")?.rsplit("__").next();
    own_tool_name(name).or_else(of_server).unwrap_or(name)
}
