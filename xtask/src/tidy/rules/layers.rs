//! Which crate of the workspace may depend on which. Everything not in the table is
//! refused, so that a new edge is a decision someone reads.

use crate::tidy::finding::Place;
use crate::tidy::graph::EdgeKind;
use crate::tidy::tree::Tree;

/// Package, and the workspace packages it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("foveal-asking", &[]),
    ("foveal-cancel", &[]),
    ("foveal-screen", &[]),
    ("foveal-transcript", &[]),
    ("foveal-parser-runtime", &[]),
    ("foveal-effects", &["foveal-parser-runtime", "foveal-transcript"]),
    ("foveal-calls", &["foveal-effects", "foveal-transcript"]),
    ("foveal-context", &["foveal-effects", "foveal-secrets", "foveal-transcript"]),
    ("foveal-wire", &["foveal-transcript"]),
    ("foveal-listening", &[]),
    (
        "foveal-code",
        &["foveal-context", "foveal-effects", "foveal-parser-runtime", "foveal-transcript"],
    ),
    (
        "foveal-index",
        &[
            "foveal-cancel",
            "foveal-code",
            "foveal-database",
            "foveal-files",
            "foveal-secrets",
            "foveal-transcript",
        ],
    ),
    ("foveal-secrets", &[]),
    ("foveal-embedder", &["foveal-asking", "foveal-cancel", "foveal-code"]),
    ("foveal-database", &[]),
    ("foveal-files", &["foveal-cancel", "foveal-transcript"]),
    ("foveal-processes", &["foveal-cancel"]),
    ("foveal-web", &["foveal-cancel"]),
    ("foveal-store", &["foveal-database", "foveal-secrets", "foveal-transcript"]),
    (
        "foveal-tools",
        &[
            "foveal-calls",
            "foveal-cancel",
            "foveal-code",
            "foveal-context",
            "foveal-effects",
            "foveal-files",
            "foveal-index",
            "foveal-processes",
            "foveal-secrets",
            "foveal-store",
            "foveal-transcript",
            "foveal-web",
        ],
    ),
    (
        "foveal-mcp",
        &[
            "foveal-calls",
            "foveal-cancel",
            "foveal-context",
            "foveal-listening",
            "foveal-screen",
            "foveal-tools",
            "foveal-transcript",
        ],
    ),
    ("foveal-live", &["foveal-context", "foveal-transcript", "foveal-wire"]),
    (
        "foveal-gateway",
        &["foveal-asking", "foveal-listening", "foveal-live", "foveal-transcript", "foveal-wire"],
    ),
    ("foveal-agent", &["foveal-context", "foveal-transcript", "foveal-wire"]),
    ("foveal-chat", &["foveal-agent", "foveal-code", "foveal-screen", "foveal-transcript"]),
    ("foveal-llm", &["foveal-asking", "foveal-wire"]),
    (
        "foveal-dev-bench",
        &[
            "foveal-code",
            "foveal-context",
            "foveal-effects",
            "foveal-replay",
            "foveal-transcript",
            "foveal-wire",
        ],
    ),
    ("foveal-replay", &["foveal-context", "foveal-effects", "foveal-transcript"]),
    (
        "foveal-report",
        &[
            "foveal-context",
            "foveal-effects",
            "foveal-replay",
            "foveal-screen",
            "foveal-transcript",
        ],
    ),
    ("foveal-testkit", &["foveal-context", "foveal-effects", "foveal-transcript"]),
    ("foveal-upstream", &["foveal-context", "foveal-listening", "foveal-wire"]),
    (
        "foveal",
        &[
            "foveal-agent",
            "foveal-calls",
            "foveal-cancel",
            "foveal-chat",
            "foveal-code",
            "foveal-context",
            "foveal-effects",
            "foveal-embedder",
            "foveal-files",
            "foveal-gateway",
            "foveal-index",
            "foveal-listening",
            "foveal-live",
            "foveal-llm",
            "foveal-mcp",
            "foveal-processes",
            "foveal-replay",
            "foveal-report",
            "foveal-screen",
            "foveal-secrets",
            "foveal-store",
            "foveal-tools",
            "foveal-transcript",
            "foveal-web",
            "foveal-wire",
        ],
    ),
    ("xtask", &[]),
];

/// Packages that only tests use; any member may name them as a dev-dependency.
const DEV_ONLY: &[&str] = &["foveal-testkit", "foveal-upstream"];

/// What tests and examples of a package may use beyond [`ALLOWED`].
const ALLOWED_DEV: &[(&str, &[&str])] = &[
    // Recorded sessions are read by `wire`; the measures are tested on them, also with files
    // curated by `code`.
    ("foveal-replay", &["foveal-code", "foveal-wire"]),
    // What the gateway saves on recorded sessions is held against what a replay of them says.
    ("foveal-gateway", &["foveal-code", "foveal-context", "foveal-replay"]),
    // What its client says is put together by hand.
    ("foveal-llm", &["foveal-transcript"]),
    // What recorded sessions asked for is asked of the tools.
    ("foveal-tools", &["foveal-wire"]),
    // Its tests open toolboxes, which who serves does elsewhere.
    ("foveal-mcp", &["foveal-files", "foveal-index", "foveal-processes", "foveal-store"]),
];

/// Outside packages that only these members may use directly.
const RESERVED: &[(&str, &[&str])] = &[("anyhow", &["foveal", "foveal-dev-bench", "xtask"])];

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let mut places = Vec::new();
    for (package, folder) in tree.graph.members() {
        let manifest = format!("{folder}/Cargo.toml");
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == package.name) else {
            let what = format!(
                "`{}` is in no layer; add it to ALLOWED in xtask/src/tidy/rules/layers.rs",
                package.name
            );
            places.push(Place::new(manifest, 1, what));
            continue;
        };
        for (to, kind) in &package.depends {
            let to = &tree.graph.packages[*to];
            if let Some(what) =
                objection(&package.name, allowed, &to.name, *kind, to.folder.is_some())
            {
                places.push(Place::new(manifest.clone(), 1, what));
            }
        }
    }
    places
}

/// What is wrong with the edge `from` to `to`, if anything.
fn objection(
    from: &str,
    allowed: &[&str],
    to: &str,
    kind: EdgeKind,
    to_member: bool,
) -> Option<String> {
    if let Some((_, users)) = RESERVED.iter().find(|(name, _)| *name == to) {
        return (kind == EdgeKind::Normal && !users.contains(&from)).then(|| {
            format!(
                "`{from}` depends on `{to}`, which is for {}; use a thiserror enum",
                users.join(" and ")
            )
        });
    }
    let for_tests = DEV_ONLY.contains(&to)
        || ALLOWED_DEV.iter().any(|(name, uses)| *name == from && uses.contains(&to));
    if !to_member || allowed.contains(&to) || (kind == EdgeKind::Dev && for_tests) {
        return None;
    }
    if DEV_ONLY.contains(&to) {
        return Some(format!(
            "`{from}` depends on `{to}`, which is for tests; make it a dev-dependency"
        ));
    }
    Some(format!(
        "`{from}` depends on `{to}`, against the layers; move the code or the edge ({} may use: {})",
        from,
        if allowed.is_empty() { "nothing of ours".to_owned() } else { allowed.join(", ") }
    ))
}

#[cfg(test)]
mod tests;
