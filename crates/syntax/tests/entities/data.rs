//! Data and markup.

use super::check;

#[test]
fn sql() {
    check(
        "schema.sql",
        r#"
-- Who runs.
CREATE TABLE engines (
  id INT PRIMARY KEY,
  name TEXT NOT NULL
);

CREATE INDEX by_name ON engines (name);

CREATE VIEW running AS
  SELECT id, count(name) FROM engines;

INSERT INTO engines VALUES (1, 'one');
"#,
        r#"
1-5 type engines, doc 1, signature 2, body 2-5
  3 field id
  4 field name
7 constant by_name
9-10 type running, signature 9, body 10
blocks: :12
names: engines() name id count() name engines engines
"#,
    );
}

#[test]
fn json() {
    check(
        "package.json",
        r#"
{
  "name": "engine",
  "scripts": {
    "test": "run",
    "deep": { "er": 1 }
  },
  "files": ["a", "b"]
}
"#,
        r#"
2 key name
3-6 key scripts, signature 3
  4 key test
  5 key deep
    5 key er
7 key files
"#,
    );
}

#[test]
fn yaml() {
    check(
        ".github/workflows/test.yml",
        r#"
# Tests.
name: test
on:
  push:
    branches: [main]
jobs:
  build:
    steps:
      - uses: checkout
        with: all
      - run: |
          make
          make test
"#,
        r#"
2 key name
3-5 key on, signature 3, body 4-5
  4-5 key push, signature 4, body 5
    5 key branches
6-13 key jobs, signature 6, body 7-13
  7-13 key build, signature 7, body 8-13
    8-13 key steps, signature 8, body 9-13
      9 key uses
      10 key with
      11-13 key run, signature 11
file doc: 1
"#,
    );
}

#[test]
fn toml() {
    check(
        "Cargo.toml",
        r#"
# The package.
[package]
name = "engine"

[[bin]]
name = "run"
path = "src/run.rs"

[dependencies.part]
version = "1"
"#,
        r#"
1-4 key package, doc 1, signature 2, body 3-4
  3 key name
5-8 key bin, signature 5, body 6-8
  6 key name
  7 key path
9-10 key dependencies.part, signature 9, body 10
  10 key version
"#,
    );
}

#[test]
fn markdown() {
    check(
        "README.md",
        r#"
Engines and `Part`s.

# Engines

They call `run()`.

## Use

- one
- two

```rust
fn main() {}
```

# Licence
Free.
"#,
        r#"
3-15 section Engines, signature 3, body 5-15
  7-15 section Use, signature 7, body 9-15
16-17 section Licence, signature 16, body 17
blocks: :1-2 Engines:3 Engines:5 Use:7 Use:9-11 Use:12-14 Licence:16 Licence:17
names: Part run()
"#,
    );
}
