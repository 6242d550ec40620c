//! Old turns told in words by a model, from who asks it.

use foveal_context::gist::Gist;

use crate::conversations::Conversations;
use crate::request::ToTell;

impl Conversations {
    /// Notes what came of a question. It is put in place with the next rewrite that begins at the
    /// oldest results, and is a decision like others from then on; until then it is forgotten when
    /// the process ends.
    pub fn tell(&self, asked: &ToTell, gist: Gist) {
        let mut wanted = self.wanting.of(asked.first);
        wanted.tell(asked.end, gist);
        self.wanting.set(asked.first, wanted);
    }
}
