//! Prints one row for each block of each read at sampled requests.
use std::collections::{HashMap, HashSet};
use std::io::Write;
use foveal_context::effects::EffectKind;
use foveal_context::observed::visible_texts;
use foveal_context::shaping::outline::names_something;
use foveal_context::tokens::Tokenizer;
use foveal_context::transcript::{EntryIndex, Role, Window};
use foveal_replay::needs::needs;
use foveal_replay::scan::{evidence_line, hash};
use foveal_replay::Prepared;
#[path = "shared/load.rs"]
mod load;
fn words(t: &str) -> HashSet<u64> {
    t.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| w.len() >= 3 && !w.as_bytes()[0].is_ascii_digit()).map(hash).collect()
}
fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "../shared/sessions/atif".to_owned());
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (session, (_n, c)) in load::conversations(&folder)?.iter().enumerate() {
        let p = Prepared::new(c, Tokenizer::O200k);
        let mut need: HashMap<u32, Vec<(u32, u64)>> = HashMap::new();
        for n in needs(&p) { need.entry(n.source.0).or_default().push((n.request, n.line)); }
        let mut window = Window::default();
        let mut user: HashMap<u64, u32> = HashMap::new();
        let mut said: HashMap<u64, u32> = HashMap::new();
        let mut edited: HashMap<u64, u32> = HashMap::new();
        let mut reshown: HashMap<u64, (u32,u32)> = HashMap::new();
        let mut arrived: HashMap<u32, u32> = HashMap::new();
        let mut next = 0u32; 
        for (request, answer) in (0u32..).zip(c.responses()) {
            while next < answer.0 {
                window.push(c);
                let e = c.entry(EntryIndex(next));
                match e.role {
                    Role::Tool => { arrived.insert(next, request);
                        let r = e.result().unwrap();
                        for l in p.observed.facts(EntryIndex(next)).printed.lines.iter() { if let Some(h) = evidence_line(l.text_in(&r.content)) { let s = reshown.entry(h).or_insert((0,0)); s.0 = next; s.1 = request; } } }
                    Role::User | Role::System => for t in visible_texts(e) { for w in words(t) { user.insert(w, request); } },
                    Role::Assistant => { for t in visible_texts(e) { for w in words(t) { said.insert(w, request); } }
                        for h in p.evidence(EntryIndex(next)) { edited.insert(*h, request); } }
                }
                next += 1;
            }
            if request % 5 != 0 { continue; }
            for i in window.entries() {
                let f = p.observed.facts(*i);
                if c.entry(*i).role != Role::Tool || f.kind() != EffectKind::Read || f.tokens.0 < 300 { continue; }
                let arr = arrived[&i.0]; if request < arr + 3 { continue; }
                let content = &c.entry(*i).result().unwrap().content;
                let lines: Vec<&str> = f.printed.lines.iter().map(|l| l.text_in(content)).collect();
                // blocks
                let mut blocks: Vec<std::ops::Range<usize>> = vec![]; let mut start = 0;
                for at in 0..lines.len() {
                    let len = at - start;
                    if (len >= 5 && lines[at].trim().is_empty()) || len >= 25 || (len >= 4 && names_something(lines[at])) { blocks.push(start..at); start = at; }
                }
                blocks.push(start..lines.len());
                let bw: Vec<HashSet<u64>> = blocks.iter().map(|b| words(&lines[b.clone()].join("\n"))).collect();
                let mut df: HashMap<u64, u32> = HashMap::new();
                for w in &bw { for x in w { *df.entry(*x).or_default() += 1; } }
                let n = blocks.len() as f64;
                let idf = |w: &u64| (1.0 + n / f64::from(df[w])).ln();
                let empty = vec![]; let future: HashSet<u64> = need.get(&i.0).unwrap_or(&empty).iter().filter(|x| x.0 >= request).map(|x| x.1).collect();
                let edit_at: Vec<usize> = (0..lines.len()).filter(|a| evidence_line(lines[*a]).is_some_and(|h| edited.get(&h).is_some_and(|r| *r >= arr))).collect();
                for (b, w) in blocks.iter().zip(&bw) {
                    let su: f64 = w.iter().filter(|x| user.contains_key(x)).map(idf).sum();
                    let sa: f64 = w.iter().filter(|x| said.contains_key(x)).map(idf).sum();
                    let sr: f64 = w.iter().filter(|x| said.get(x).is_some_and(|r| *r + 1 >= arr && *r + 10 >= request)).map(idf).sum();
                    let ss: f64 = w.iter().filter(|x| said.get(x).is_some_and(|r| *r + 1 >= arr)).map(idf).sum();
                    let first = b.clone().find(|a| names_something(lines[*a]));
                    let def: f64 = first.map_or(0.0, |a| words(lines[a]).iter().filter(|x| said.get(x).is_some_and(|r| *r + 1 >= arr)).map(idf).sum());
                    let defu: f64 = first.map_or(0.0, |a| words(lines[a]).iter().filter(|x| user.contains_key(x)).map(idf).sum());
                    let dist = edit_at.iter().map(|a| if b.contains(a) {0} else if *a < b.start { b.start - a } else { a + 1 - b.end }).min().map_or(8.0, |d| (d as f64).ln_1p());
                    let re = b.clone().filter(|a| evidence_line(lines[*a]).is_some_and(|h| reshown.get(&h).is_some_and(|s| s.0 > i.0))).count() as f64 / b.len() as f64;
                    let label = b.clone().filter(|a| evidence_line(lines[*a]).is_some_and(|h| future.contains(&h))).count();
                    let chars: usize = b.clone().map(|a| lines[a].len() + 1).sum();
                    writeln!(out, "{session}\t{}\t{request}\t{chars}\t{label}\t{su:.2}\t{sa:.2}\t{sr:.2}\t{ss:.2}\t{def:.2}\t{defu:.2}\t{dist:.2}\t{re:.2}\t{}\t{:.2}\t{}\t{}", i.0, u8::from(first.is_some()), (b.start as f64 / lines.len() as f64), request - arr, lines.len())?;
                }
            }
        }
    }
    Ok(())
}
