//! Reads a [`Tree`] from the repository and from `cargo metadata`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use serde::Deserialize;

use super::graph::{EdgeKind, Graph, Package};
use super::source::Source;
use super::tree::{Limits, Tree};

/// Folders with Rust files of ours.
const SOURCE_ROOTS: &[&str] = &["compare", "crates", "xtask", "fuzz", "examples"];

/// Reads everything the rules look at.
pub(crate) fn load(root: &Path) -> anyhow::Result<Tree> {
    let mut sources = Vec::new();
    for folder in SOURCE_ROOTS {
        if root.join(folder).is_dir() {
            collect_sources(root, &root.join(folder), &mut sources)?;
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    let lock = read(&root.join("Cargo.lock"))?;
    Ok(Tree {
        sources,
        graph: graph(root)?,
        locked_crates: lock.lines().filter(|line| *line == "[[package]]").count(),
        architecture: fs::read_to_string(root.join("ARCHITECTURE.md")).ok(),
        design_documents: fs::read_to_string(root.join("docs/design-documents.md")).ok(),
        limits: limits(&read(&root.join("xtask/tidy.toml"))?)?,
    })
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

fn collect_sources(root: &Path, folder: &Path, sources: &mut Vec<Source>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("listing {}", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        let name = entry.file_name();
        if entry.file_type()?.is_dir() {
            if name != "target" && name != "corpus" {
                collect_sources(root, &path, sources)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(Source::new(relative(root, &path), read(&path)?));
        }
    }
    Ok(())
}

/// `path` relative to `root`, with `/` on every system.
fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn limits(tidy_toml: &str) -> anyhow::Result<Limits> {
    toml::from_str(tidy_toml).context("reading xtask/tidy.toml")
}

/// The part of `cargo metadata`'s output that rules need.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<MetadataPackage>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct MetadataPackage {
    id: String,
    name: String,
    manifest_path: String,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<EdgeKind>,
}

fn graph(root: &Path) -> anyhow::Result<Graph> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root)
        .output()
        .context("running cargo metadata")?;
    ensure!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let metadata: Metadata =
        serde_json::from_slice(&output.stdout).context("reading cargo metadata's output")?;
    graph_from(root, &metadata)
}

fn graph_from(root: &Path, metadata: &Metadata) -> anyhow::Result<Graph> {
    let positions: HashMap<&str, usize> =
        metadata.packages.iter().zip(0..).map(|(package, at)| (package.id.as_str(), at)).collect();
    let position = |id: &str| {
        positions
            .get(id)
            .copied()
            .with_context(|| format!("cargo metadata does not list the package {id}"))
    };
    let mut packages: Vec<Package> = metadata
        .packages
        .iter()
        .map(|package| Package {
            name: package.name.clone(),
            folder: metadata.workspace_members.contains(&package.id).then(|| {
                relative(root, Path::new(&package.manifest_path)).replace("/Cargo.toml", "")
            }),
            depends: Vec::new(),
        })
        .collect();
    for node in &metadata.resolve.nodes {
        let from = position(&node.id)?;
        for dependency in &node.deps {
            let to = position(&dependency.pkg)?;
            let kinds = dependency.dep_kinds.iter().map(|k| k.kind.unwrap_or(EdgeKind::Normal));
            packages[from].depends.extend(kinds.map(|kind| (to, kind)));
        }
        packages[from].depends.sort_unstable();
        packages[from].depends.dedup();
    }
    Ok(Graph { packages })
}
