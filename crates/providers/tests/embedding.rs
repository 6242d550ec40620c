//! Tests against a local server that responds well, badly, slowly or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use foveal_providers::{ApiKey, EmbeddingRequestLimits, ServerEmbedder};
use foveal_relevance::embedding::{Embedder, Vector};
use foveal_testkit::embedding_server::{
    EmbeddingReply, EmbeddingRequest, EmbeddingServer, sum_word_vectors, vectors_reply,
};
use foveal_transcript::CancelToken;

/// Short enough for tests, long enough for a busy machine.
const PATIENCE: EmbeddingRequestLimits = EmbeddingRequestLimits {
    connect_time: Duration::from_secs(5),
    request_time: Duration::from_secs(20),
    retries: 2,
    wait_max: Duration::from_millis(20),
};

fn embedder(
    server: &EmbeddingServer,
    spec: &str,
    key: Option<&str>,
    patience: EmbeddingRequestLimits,
) -> ServerEmbedder {
    let spec = format!("{spec}@http://{}", server.address());
    let spec = spec.parse().expect("a server on this machine");
    ServerEmbedder::new(spec, key.and_then(ApiKey::new), patience, CancelToken::NEVER)
}

/// Returns the result of a request for `texts`: the number of vectors, or the chain of errors
/// without the address of the server.
fn told(server: &EmbeddingServer, embedder: &ServerEmbedder, texts: &[&str]) -> String {
    match embedder.embed(texts) {
        Ok(vectors) => {
            let expected =
                texts.iter().map(|text| Vector::normalized(sum_word_vectors(text, 16, 0)));
            assert!(vectors.iter().zip(expected).all(|(a, b)| a.cosine(&b) > 0.999));
            format!("{} vectors", vectors.len())
        }
        Err(error) => {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            cause.unwrap_or_default().replace(&server.address(), "SERVER")
        }
    }
}

/// Embeds two texts; returns the result and the number of requests.
fn check(
    script: impl Fn(&EmbeddingRequest) -> EmbeddingReply + Send + Sync + 'static,
    expected: &str,
    requests: usize,
) {
    let server = EmbeddingServer::start(script);
    let embedder = embedder(&server, "openai:m", Some("sesame"), PATIENCE);
    assert_eq!(told(&server, &embedder, &["one text", "another"]), expected);
    assert_eq!(server.requests().len(), requests, "{expected}");
}

fn raw(status: u16, body: &str) -> EmbeddingReply {
    EmbeddingReply::Raw(status, String::new(), body.to_owned())
}

#[test]
fn good_answers() {
    let server = EmbeddingServer::start(vectors_reply);
    for (spec, key, path, sent) in [
        ("openai:m", Some("sesame"), "/v1/embeddings", Some("Bearer sesame")),
        ("ollama:n:latest", None, "/api/embed", None),
    ] {
        let embedder = embedder(&server, spec, key, PATIENCE);
        assert_eq!(embedder.identity().as_str(), spec);
        assert_eq!(told(&server, &embedder, &["one text", "another", "third"]), "3 vectors");
        let last = server.requests().pop().expect("it was asked");
        assert_eq!((last.path.as_str(), last.authorization.as_deref()), (path, sent));
        assert_eq!(last.texts, ["one text", "another", "third"]);
        assert_eq!(last.model, spec.split_once(':').expect("a model").1);
    }
}

#[test]
fn requests_have_few_texts_and_bytes() {
    let server = EmbeddingServer::start(vectors_reply);
    let embedder = embedder(&server, "ollama:m", None, PATIENCE);
    let many: Vec<String> = (0..70).map(|n| format!("text {n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(told(&server, &embedder, &many), "70 vectors");
    let large = "word ".repeat(5_000);
    assert_eq!(told(&server, &embedder, &[&large, &large, &large, "short"]), "4 vectors");
    assert_eq!(told(&server, &embedder, &[]), "0 vectors");
    let counts: Vec<usize> = server.requests().iter().map(|asked| asked.texts.len()).collect();
    assert_eq!(counts, [32, 32, 6, 2, 2]);
    // The largest batch of the index.
    let texts = [vec!["x".repeat(16 << 10); 3], vec!["x".repeat(512)]].concat();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_eq!(told(&server, &embedder, &texts), "4 vectors");
    assert_eq!(server.requests().last().map(|asked| asked.texts.len()), Some(4));
}

#[test]
fn refusals_say_what_to_do() {
    let url = "http://SERVER/v1/embeddings";
    for (status, body, expected, requests) in [
        (401, "no", format!("{url} rejected the key in FOVEAL_EMBEDDINGS_KEY (401: no)"), 1),
        (
            403,
            r#"{"error":{"message":"your key sesame\u001b[1m is bad"}}"#,
            format!("{url} rejected the key in FOVEAL_EMBEDDINGS_KEY (403: your key … [1m is bad)"),
            1,
        ),
        (
            404,
            r#"{"error":"model \"m\" not found"}"#,
            format!(
                "{url} has no model `m`, or is not an embeddings address (404: model \"m\" not \
                 found): check both"
            ),
            1,
        ),
        (
            400,
            r#"{"message":"no such thing"}"#,
            format!(
                "{url} rejected the texts (400: no such thing): check that `m` is an embedding \
                 model"
            ),
            2,
        ),
        (500, "", format!("{url} failed (500): see its log, or try again later"), 4),
        (503, "", format!("{url} failed (503): see its log, or try again later"), 3),
        (
            429,
            "slow down",
            format!("{url} received too many requests (429: slow down): try again later"),
            3,
        ),
    ] {
        check(move |_| raw(status, body), &expected, requests);
    }
    let server = EmbeddingServer::start(|_| raw(401, ""));
    let embedder = embedder(&server, "ollama:m", None, PATIENCE);
    let expected = "http://SERVER/api/embed requires a key: set FOVEAL_EMBEDDINGS_KEY";
    assert_eq!(told(&server, &embedder, &["x"]), expected);
}

#[test]
fn answers_that_are_no_vectors() {
    for (body, reason) in [
        ("<html>", "expected value at line 1 column 1"),
        (r#"{"data":[{"embedding":[1]}]}"#, "1 vectors for 2 texts"),
        (
            r#"{"data":[{"embedding":[NaN]},{"embedding":[1]}]}"#,
            "expected value at line 1 column 24",
        ),
        (
            r#"{"data":[{"embedding":[1,2]},{"embedding":[1]}]}"#,
            "vectors of 2 and of 1 components in one answer",
        ),
    ] {
        let expected = format!(
            "http://SERVER/v1/embeddings did not return valid vectors ({reason}): check that it \
             supports OpenAI's embeddings API"
        );
        check(move |_| raw(200, body), &expected, 1);
    }
    let large = format!("{{\"data\":[{}", " ".repeat(17 << 20));
    let expected = "http://SERVER/v1/embeddings did not return valid vectors (more than 16 MiB): \
                    check that it supports OpenAI's embeddings API";
    check(move |_| raw(200, &large), expected, 1);
}

#[test]
fn a_busy_server_is_asked_again() {
    let busy = |asked: &EmbeddingRequest| match asked.number {
        0 => EmbeddingReply::Raw(429, "Retry-After: 0\r\n".to_owned(), String::new()),
        1 => raw(503, "loading"),
        _ => vectors_reply(asked),
    };
    check(busy, "2 vectors", 3);
    let later = |_: &EmbeddingRequest| {
        EmbeddingReply::Raw(429, "Retry-After: 77\r\n".to_owned(), String::new())
    };
    check(
        later,
        "http://SERVER/v1/embeddings received too many requests (429): try again in 77 s",
        1,
    );
}

#[test]
fn too_much_is_sent_in_parts() {
    let little = |asked: &EmbeddingRequest| {
        let bytes: usize = asked.texts.iter().map(String::len).sum();
        if asked.texts.len() > 1 || bytes > 700 {
            raw(413, "too much")
        } else {
            vectors_reply(asked)
        }
    };
    let server = EmbeddingServer::start(little);
    let embedder = embedder(&server, "openai:m", None, PATIENCE);
    assert_eq!(told(&server, &embedder, &["a", "b", &"same ".repeat(400)]), "3 vectors");
    let sizes: Vec<Vec<usize>> = server
        .requests()
        .iter()
        .map(|asked| asked.texts.iter().map(String::len).collect())
        .collect();
    assert_eq!(
        sizes,
        [
            vec![1, 1, 2_000],
            vec![4],
            vec![1],
            vec![1, 2_000],
            vec![1],
            vec![2_000],
            vec![1_000],
            vec![500]
        ]
    );
}

/// A text for which some models return invalid numbers.
#[test]
fn a_text_that_fails_does_not_stop_the_others() {
    for (status, attempts) in [(400, 1), (500, 3)] {
        let server = EmbeddingServer::start(move |asked: &EmbeddingRequest| {
            let bad = asked.texts.iter().any(|text| text.contains("nan"));
            if bad { raw(status, "unsupported value: NaN") } else { vectors_reply(asked) }
        });
        let embedder = embedder(&server, "ollama:m", None, PATIENCE);
        let late = format!("{} nan", "late ".repeat(300));
        let texts = ["one text", "nan", "another", &late, "third"];
        let given = embedder.embed(&texts).expect("vectors");
        let expected = ["one text", "", "another", &"late ".repeat(150), "third"];
        for (text, vector) in expected.iter().zip(&given) {
            let expected = Vector::normalized(sum_word_vectors(text, 16, 0));
            assert_eq!(vector.components().len(), 16);
            assert!(
                vector.cosine(&expected) > 0.999 || (text.is_empty() && *vector == expected),
                "{text}"
            );
        }
        assert_eq!(given.len(), texts.len());
        // While it also fails on plain words, no text counts as bad.
        let server = EmbeddingServer::start(move |asked: &EmbeddingRequest| match asked.number {
            number if number <= attempts => raw(status, ""),
            _ => vectors_reply(asked),
        });
        let embedder = self::embedder(&server, "ollama:m", None, PATIENCE);
        assert!(embedder.embed(&["one", "two"]).is_err());
        assert_eq!(told(&server, &embedder, &["one", "two"]), "2 vectors");
    }
}

#[test]
fn the_key_goes_nowhere_else() {
    let elsewhere = EmbeddingServer::start(vectors_reply);
    let to = format!("http://{}/v1/embeddings", elsewhere.address());
    for status in [301, 302, 307, 308] {
        let headers = format!("Location: {to}\r\n");
        let script =
            move |_: &EmbeddingRequest| EmbeddingReply::Raw(status, headers.clone(), String::new());
        let expected = format!(
            "http://SERVER/v1/embeddings redirects to `{to}`, which is not followed: use that \
             address if it is correct"
        );
        check(script, &expected, 1);
    }
    assert_eq!(elsewhere.requests(), []);
}

#[test]
fn no_answer_or_half_of_one() {
    let server = EmbeddingServer::start(|_| EmbeddingReply::Silence(Duration::from_millis(1_500)));
    let patience = EmbeddingRequestLimits { request_time: Duration::from_millis(100), ..PATIENCE };
    let slow = embedder(&server, "ollama:m", None, patience);
    let expected = "http://SERVER/api/embed did not answer within 1 s: it may be overloaded, or \
                    still loading the model";
    assert_eq!(told(&server, &slow, &["x"]), expected);
    let server = EmbeddingServer::start(|_| EmbeddingReply::Truncated);
    let half = embedder(&server, "ollama:m", None, PATIENCE);
    let text = told(&server, &half, &["x"]);
    assert!(text.starts_with("cannot reach http://SERVER/api/embed ("), "{text}");
    let address = server.address();
    drop(server);
    let text = half.embed(&["x"]).expect_err("it has ended");
    let text = std::error::Error::source(&text).map(ToString::to_string).unwrap_or_default();
    assert!(text.starts_with(&format!("cannot reach http://{address}/api/embed (")), "{text}");
}

/// No server of these tests speaks TLS: the test covers the start of the handshake.
#[test]
fn https_is_not_answered_in_the_open() {
    let server = EmbeddingServer::start(vectors_reply);
    let spec = format!("openai:m@https://{}", server.address()).parse().expect("a server");
    let embedder = ServerEmbedder::new(spec, ApiKey::new("sesame"), PATIENCE, CancelToken::NEVER);
    let text = told(&server, &embedder, &["x"]);
    assert!(text.starts_with("cannot reach https://SERVER/v1/embeddings ("), "{text}");
    assert_eq!(server.requests(), []);
}

/// Whether it waits for an answer or for a retry.
#[test]
fn a_wait_ends_when_the_work_is_stopped() {
    for reply in [EmbeddingReply::Silence(Duration::from_secs(60)), raw(503, "")] {
        let stop = Arc::<AtomicBool>::default();
        let (stopped, cancel) = (Arc::clone(&stop), CancelToken::from(stop));
        let server = EmbeddingServer::start(move |_| {
            stopped.store(true, Ordering::SeqCst);
            reply.clone()
        });
        let spec = format!("ollama:m@http://{}", server.address()).parse().expect("a server");
        let embedder = ServerEmbedder::new(spec, None, EmbeddingRequestLimits::BACKGROUND, cancel);
        let expected = "stopped before http://SERVER/api/embed answered";
        assert_eq!(told(&server, &embedder, &["x"]), expected);
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn keys_are_not_shown() {
    assert_eq!(format!("{:?}", ApiKey::new(" sesame\n")), "Some(ApiKey(…))");
    for text in ["", " \n", "two words", "a\nb", "ü"] {
        assert_eq!(ApiKey::new(text), None, "{text}");
    }
}
