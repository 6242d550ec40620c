use super::*;

fn check(text: &str, expected: &str) {
    let spec: Result<EmbeddingServerSpec, EmbeddingSpecError> = text.parse();
    let told = match spec {
        Ok(spec) => {
            assert_eq!(spec.to_string().parse(), Ok(spec.clone()), "{text}");
            format!("{} at {}", spec.identity(), spec.url())
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(told, expected, "{text}");
}

#[test]
fn servers_and_models() {
    check("ollama:nomic-embed-text", "ollama:nomic-embed-text at http://127.0.0.1:11434/api/embed");
    check("ollama:a:latest@http://[::1]:80/", "ollama:a:latest at http://[::1]:80/api/embed");
    check("openai:te-3", "openai:te-3 at https://api.openai.com/v1/embeddings");
    check("openai:@cf/b@https://h/x/v1", "openai:@cf/b at https://h/x/v1/embeddings");
    check("openai:m@http://localhost:8080", "openai:m at http://localhost:8080/v1/embeddings");
    check("openai:m@https://h/v1/embeddings", "openai:m at https://h/v1/embeddings");
    check("ollama+http:m@http://lan:1", "ollama:m at http://lan:1/api/embed");
}

#[test]
fn servers_that_are_the_same() {
    let own = "openai:m@https://Host/v1";
    for (other, same) in [
        ("openai:n@https://host", true),
        ("ollama:m@https://host:443/x", true),
        ("openai:m@https://host:8443/v1", false),
        ("openai+http:m@http://host/v1", false),
        ("openai+http:m@http://host:443/v1", false),
        ("openai:m@https://api.host/v1", false),
        ("openai:m", false),
    ] {
        let [one, two]: [EmbeddingServerSpec; 2] =
            [own, other].map(|text| text.parse().expect(text));
        assert_eq!((one.has_same_origin(&two), two.has_same_origin(&one)), (same, same));
    }
    let [usual, named]: [EmbeddingServerSpec; 2] =
        ["openai:m", "openai:n@https://api.openai.com:443"].map(|text| text.parse().expect(text));
    assert!(usual.has_same_origin(&named));
}

#[test]
fn addresses_without_a_scheme() {
    for (begin, host) in [
        ("openai:bge@", "gpu.internal:8080"),
        ("openai:bge@", "gpu:8080/v1"),
        ("ollama:a:latest@", "localhost"),
        ("ollama:a@", "LOCALHOST:1"),
        ("openai:@cf/b@", "h.example/v1"),
        ("openai:m@", "[::1]"),
    ] {
        check(
            &format!("{begin}{host}"),
            &format!(
                "`{host}` looks like a server address without a scheme: use {begin}https://{host}, \
                 or http:// for this machine"
            ),
        );
    }
    check(
        "openai:m@//gpu",
        "`gpu` looks like a server address without a scheme: use openai:m@https://gpu, or http:// \
         for this machine",
    );
    let secret = EmbeddingSpecError::Secret.to_string();
    check("openai:m@me:sesame@h.example", &secret);
    check("openai:m@h.example/v1?key=sesame", &secret);
    // Model names may contain `@`, and may look like anything if an address follows.
    for model in ["@cf/baai/bge-1.5", "text-embedding@001", "m@sha256:0a1b", "m@"] {
        check(
            &format!("ollama:{model}"),
            &format!("ollama:{model} at http://127.0.0.1:11434/api/embed"),
        );
    }
    check("openai:m@v1.5@https://h", "openai:m@v1.5 at https://h/v1/embeddings");
}

#[test]
fn what_is_refused() {
    let unknown = |text: &str| {
        format!(
            "`{text}` is not a valid embedder: use built-in, none, ollama:MODEL or openai:MODEL, \
             with @URL after the model for a server other than the default"
        )
    };
    check("http://localhost:1", &unknown("http://localhost:1"));
    check("nomic", &unknown("nomic"));
    check(
        "ollama:@https://h",
        "`ollama:@https://h` has no model: add it after the colon, as in ollama:nomic-embed-text",
    );
    for address in ["http://", "ftp://h", "https:///v1"] {
        let none = "is not a valid server address: use http://HOST:PORT or https://HOST";
        check(&format!("openai:m@{address}"), &format!("`{address}` {none}"));
    }
    let secret = "a server address must not contain a user name, password, query or fragment: set \
                  the key in FOVEAL_EMBEDDINGS_KEY";
    check("openai:m@https://me:secret@h", secret);
    check("openai:m@https://h/v1?key=secret", secret);
    for host in ["lan:1", "10.0.0.7", "localhost.evil.example", "127.0.0.1.evil.example"] {
        check(
            &format!("ollama:m@http://{host}"),
            &format!(
                "`http://{host}` is another machine, and http would send your code there \
                 unencrypted: use https, or ollama+http:MODEL@http://{host} to allow that"
            ),
        );
    }
}
