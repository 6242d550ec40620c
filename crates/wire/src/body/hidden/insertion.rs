//! Bytes put between those of a body.

/// Bytes, and where in a body they go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    /// In front of which byte.
    pub at: usize,
    /// What goes there.
    pub bytes: Vec<u8>,
}

impl Insertion {
    pub(super) fn new(at: usize, text: impl Into<Vec<u8>>) -> Self {
        Self { at, bytes: text.into() }
    }
}

/// A body with bytes put between its own. Of several at one place the first goes first.
pub fn inserted(bytes: &[u8], mut insertions: Vec<Insertion>) -> Vec<u8> {
    insertions.sort_by_key(|insertion| insertion.at);
    let more: usize = insertions.iter().map(|insertion| insertion.bytes.len()).sum();
    let mut all = Vec::with_capacity(bytes.len() + more);
    let mut from = 0;
    for insertion in insertions {
        all.extend_from_slice(&bytes[from..insertion.at]);
        all.extend_from_slice(&insertion.bytes);
        from = insertion.at;
    }
    all.extend_from_slice(&bytes[from..]);
    all
}
