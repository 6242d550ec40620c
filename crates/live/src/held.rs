//! The conversations that are held in memory, within bounds.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foveal_transcript::{ContentHash, Timestamp};

use crate::conversation::Live;
use crate::familiar::Familiar;

/// What a conversation takes in memory, as a multiple of the bytes of its messages: its texts,
/// their lines and tokens. The example `overhead` of the gateway tells what 1,000 of them take.
const BYTES_PER_BYTE: usize = 5;

/// What is known of a message takes so much, however short it is.
const MESSAGE_BYTES: usize = 1 << 10;

/// What a conversation takes in any case.
const OWN_BYTES: usize = 8 << 10;

/// How many conversations with the same beginning a request is compared with.
const COMPARED_MAX: usize = 8;

/// So many, the latest ones, may take all of the room: that is what people work on at a time. With
/// more, a quarter of it is enough.
const LATEST: usize = 8;

/// Of so many, the latest ones, the messages are known as they came. Of others it takes longer to
/// tell what of a request is new, and they take a sixth less memory.
const FAMILIAR: usize = 16;

/// Conversations by the end of what was planned last. The ones used longest ago go first.
#[derive(Debug)]
pub(crate) struct Held {
    by_end: HashMap<ContentHash, One>,
    /// Ends of what was planned, by the end of the first message: the one used last stands last.
    by_first: HashMap<ContentHash, Vec<ContentHash>>,
    /// In which order they were used.
    order: BTreeMap<u64, ContentHash>,
    /// What is known of the messages of those that are lent, by the end of the first one.
    lent: Vec<(ContentHash, Arc<Familiar>)>,
    used: u64,
    bytes: usize,
    bytes_max: usize,
    /// How long one stays that is not used, in milliseconds.
    idle_ms: i64,
}

#[derive(Debug)]
struct One {
    live: Live,
    weight: usize,
    used: u64,
    time: Timestamp,
    first: ContentHash,
}

impl Held {
    pub(crate) fn new(bytes_max: usize, idle_ms: i64) -> Self {
        let (by_end, by_first, order) = (HashMap::new(), HashMap::new(), BTreeMap::new());
        Self { by_end, by_first, order, lent: Vec::new(), used: 0, bytes: 0, bytes_max, idle_ms }
    }

    /// What is known of the messages of those conversations whose first message ends so.
    pub(crate) fn familiar(&self, first: ContentHash) -> Vec<Arc<Familiar>> {
        let lent = self.lent.iter().filter(|(of, _)| *of == first);
        let lent = lent.map(|(_, familiar)| Arc::clone(familiar));
        let ends = self.by_first.get(&first).into_iter().flatten().rev();
        let held = ends.filter_map(|end| self.by_end.get(end)?.live.familiar().cloned());
        lent.chain(held).take(COMPARED_MAX).collect()
    }

    /// The conversation whose planned messages end so, until it is given back: what its messages are
    /// is known all the same.
    pub(crate) fn lend(&mut self, first: ContentHash, end: ContentHash) -> Option<Live> {
        let live = self.remove(end)?;
        self.lent.extend(live.familiar().map(|familiar| (first, Arc::clone(familiar))));
        Some(live)
    }

    /// The longest of these ends (shortest first) that is held, with its conversation, which is
    /// held no longer.
    pub(crate) fn take(&mut self, ends: &[ContentHash]) -> Option<Live> {
        let end = ends.iter().rev().find(|end| self.by_end.contains_key(*end))?;
        self.remove(*end)
    }

    /// Holds a conversation whose first message ends so, and lets others go for it: those of them
    /// of which not everything could be kept.
    #[must_use = "what could not be kept of them is lost with them"]
    pub(crate) fn put(&mut self, live: Live, first: ContentHash, now: Timestamp) -> Vec<Live> {
        let (end, weight) = (live.planned(), weight(&live));
        drop(self.remove(end));
        // One at a time with this beginning is decided about, or lent.
        self.lent.retain(|(of, _)| *of != first);
        let mut gone = Vec::new();
        self.used += 1;
        self.bytes += weight;
        self.order.insert(self.used, end);
        self.by_first.entry(first).or_default().push(end);
        self.by_end.insert(end, One { live, weight, used: self.used, time: now, first });
        self.forget_familiar();
        while let Some((_, oldest)) = self.order.first_key_value().map(|(used, end)| (*used, *end))
        {
            let is_idle =
                |one: &One| now.0.saturating_sub(one.time.0) > self.idle_ms && oldest != end;
            let room = if self.len() > LATEST { self.bytes_max / 4 } else { self.bytes_max };
            let is_too_much = self.bytes > room && oldest != end;
            if !is_too_much && !self.by_end.get(&oldest).is_some_and(is_idle) {
                break;
            }
            gone.extend(self.remove(oldest).filter(Live::has_unkept));
        }
        gone
    }

    /// Forgets how the messages came of the one right behind the latest.
    fn forget_familiar(&mut self) {
        let Some((_, end)) = self.order.iter().rev().nth(FAMILIAR) else { return };
        let Some(one) = self.by_end.get_mut(end) else { return };
        one.live.forget_familiar();
        let weight = weight(&one.live);
        self.bytes -= std::mem::replace(&mut one.weight, weight) - weight;
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.by_end.len()
    }

    fn remove(&mut self, end: ContentHash) -> Option<Live> {
        let One { live, weight, used, first, .. } = self.by_end.remove(&end)?;
        self.order.remove(&used);
        if let Some(ends) = self.by_first.get_mut(&first) {
            ends.retain(|other| *other != end);
            if ends.is_empty() {
                self.by_first.remove(&first);
            }
        }
        self.bytes -= weight;
        Some(live)
    }
}

fn weight(live: &Live) -> usize {
    let familiar = live.familiar().map_or(0, |familiar| familiar.bytes());
    live.bytes() * BYTES_PER_BYTE + familiar + live.len() * MESSAGE_BYTES + OWN_BYTES
}

#[cfg(test)]
mod tests {
    use foveal_transcript::{ContentHash, Timestamp};
    use foveal_wire::Protocol;
    use foveal_wire::body::Body;

    use super::{FAMILIAR, Held, LATEST, OWN_BYTES};
    use crate::chain::Chain;
    use crate::conversation::Live;
    use crate::models::Model;
    use crate::rules::Rules;

    #[test]
    fn what_is_lent_is_known_all_the_same() {
        let rules = Rules::named("balanced").expect("a profile");
        let model = Model::named("claude-opus-4-5", Protocol::Messages);
        let root = ContentHash::of(b"");
        let mut live = Live::new(rules.planner(&model), model, rules.tokenizer, root);
        let bytes = br#"{"messages":[{"role":"user","content":"a"}]}"#;
        let body = Body::scan(Protocol::Messages, bytes).expect("a body");
        let chain = Chain::of(root, (&body, bytes), &[]);
        live.becomes_familiar((&body, bytes), &chain, None);
        let (first, end) = (chain.ends[0], live.planned());
        let mut held = Held::new(usize::MAX, i64::MAX);
        assert!(held.put(live, first, Timestamp(0)).is_empty());
        let lent = held.lend(first, end).expect("it is held");
        assert!(held.lend(first, end).is_none() && held.len() == 0);
        assert_eq!(held.familiar(first).len(), 1);
        assert!(held.put(lent, first, Timestamp(0)).is_empty());
        assert_eq!((held.familiar(first).len(), held.lent.len()), (1, 0));
    }

    #[test]
    fn of_the_latest_it_is_known_how_their_messages_came() {
        let rules = Rules::named("balanced").expect("a profile");
        let model = Model::named("claude-opus-4-5", Protocol::Messages);
        let mut held = Held::new(usize::MAX, i64::MAX);
        let mut firsts = Vec::new();
        for at in 0..FAMILIAR + 3 {
            let text = format!(r#"{{"messages":[{{"role":"user","content":"{at}"}}]}}"#);
            let body = Body::scan(Protocol::Messages, text.as_bytes()).expect("a body");
            let root = ContentHash::of(&at.to_le_bytes());
            let chain = Chain::of(root, (&body, text.as_bytes()), &[]);
            let mut live = Live::new(rules.planner(&model), model.clone(), rules.tokenizer, root);
            live.becomes_familiar((&body, text.as_bytes()), &chain, None);
            assert!(held.put(live, chain.ends[0], Timestamp(0)).is_empty());
            firsts.push(chain.ends[0]);
        }
        assert_eq!(held.len(), FAMILIAR + 3);
        let known: Vec<usize> = firsts.iter().map(|first| held.familiar(*first).len()).collect();
        assert_eq!(known[..3], [0; 3]);
        assert_eq!(known[3..], [1; FAMILIAR]);
        let weights: usize = held.by_end.values().map(|one| one.weight).sum();
        assert_eq!(held.bytes, weights);
    }

    #[test]
    fn many_share_a_part_of_the_room_and_few_have_all_of_it() {
        let rules = Rules::named("balanced").expect("a profile");
        let model = Model::named("claude-opus-4-5", Protocol::Messages);
        // Each takes what a conversation without messages does.
        let left_of = |room: usize| {
            let mut held = Held::new(room * OWN_BYTES, i64::MAX);
            for at in 0..40_usize {
                let root = ContentHash::of(&at.to_le_bytes());
                let live = Live::new(rules.planner(&model), model.clone(), rules.tokenizer, root);
                assert!(held.put(live, root, Timestamp(0)).is_empty());
            }
            held.len()
        };
        assert_eq!([40, LATEST + 2, LATEST - 2].map(left_of), [10, LATEST, LATEST - 2]);
    }
}
