//! What depends on a model: vectors, apart from the files' rows, and which model was chosen.
//!
//! A file's vectors come later than its words where a model takes long, and those of the
//! model before stay until all of the new one's are there. Like rows of files they are never
//! changed, and their numbers are never given again.

use foveal_cancel::Cancel;
use foveal_code::embed::{ModelId, QuantizedVector};
use rusqlite::{OptionalExtension, params};

use super::database::Store;
use super::rows::{Known, Model, ModelNumber, VectorsId, checksum, known};
use super::settings::Setting;
use crate::error::IndexError;
use crate::vectors;

impl Store {
    /// The model of this name, if it was ever asked and its bytes are those that were written.
    pub(crate) fn model(&self, identity: &ModelId) -> Result<Option<Model>, IndexError> {
        Ok(self.models("identity = ?1", identity)?.pop())
    }

    /// Models that had this name before, see [`Self::retire`].
    pub(crate) fn retired(&self, identity: &ModelId) -> Result<Vec<Model>, IndexError> {
        self.models("identity = ?1 || ' until ' || id", identity)
    }

    fn models(&self, which: &str, identity: &ModelId) -> Result<Vec<Model>, IndexError> {
        let sql = format!("SELECT id, dimensions, probe FROM model WHERE {which} ORDER BY id");
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map([identity.as_str()], |row| {
            Ok((ModelNumber(row.get(0)?), row.get::<_, u32>(1)?, row.get::<_, Vec<u8>>(2)?))
        })?;
        let mut models = Vec::new();
        for row in rows {
            let (number, dimensions, probe) = row?;
            let dimensions = dimensions as usize;
            let probe = vectors::decode(&probe, dimensions, 1);
            models.extend(probe.map(|probe| Model { number, dimensions, probe }));
        }
        Ok(models)
    }

    /// A new model of this name, or the one that another process has just made.
    pub(crate) fn add_model(
        &self,
        identity: &ModelId,
        probe: &QuantizedVector,
    ) -> Result<Option<Model>, IndexError> {
        let transaction = self.begin(&Cancel::NEVER)?;
        // What cannot be read is no model.
        let other = if self.model(identity)?.is_some() { "IGNORE" } else { "REPLACE" };
        let sql = format!(
            "INSERT OR {other} INTO model(identity, dimensions, probe) VALUES (?1, ?2, ?3)"
        );
        let dimensions = u32::try_from(probe.values.len()).unwrap_or(u32::MAX);
        let bytes = vectors::encode(std::iter::once(probe.clone()));
        transaction.execute(&sql, params![identity.as_str(), dimensions, bytes])?;
        transaction.commit()?;
        self.model(identity)
    }

    /// Takes a model's name from it: what it names is another model now. If it is one that
    /// had the name before, `again`, that has it again.
    pub(crate) fn retire(
        &self,
        model: Option<ModelNumber>,
        again: Option<(ModelNumber, &ModelId)>,
    ) -> Result<(), IndexError> {
        let transaction = self.begin(&Cancel::NEVER)?;
        if let Some(model) = model {
            let sql = "UPDATE model SET identity = identity || ' until ' || id WHERE id = ?1";
            transaction.execute(sql, [model])?;
        }
        if let Some((model, identity)) = again {
            // Another process may have been first to give the name.
            let sql = "UPDATE OR IGNORE model SET identity = ?2 WHERE id = ?1";
            transaction.execute(sql, params![model, identity.as_str()])?;
        }
        Ok(transaction.commit()?)
    }

    /// Files with parts but without vectors of `model`, by path.
    pub(crate) fn waiting(&self, model: ModelNumber) -> Result<Vec<(String, Known)>, IndexError> {
        let sql = "SELECT path, hash, class, chunks, checksum, id, bytes, changed FROM file f WHERE chunks > 0 \
                   AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.file = f.id AND v.model = ?1)";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([model], |row| Ok((row.get(0)?, known(row)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many files have vectors of `model`.
    pub(crate) fn covered(&self, model: ModelNumber) -> Result<u64, IndexError> {
        let sql = "SELECT count(*) FROM vectors WHERE model = ?1";
        let count: i64 = self.connection.query_row(sql, [model], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// The bytes of a file's vectors; `None` if they are gone or not those that were written.
    pub(crate) fn vectors(&self, vectors: VectorsId) -> Result<Option<Vec<u8>>, IndexError> {
        let sql = "SELECT bytes, checksum FROM vectors WHERE id = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let found = statement.query_row([vectors.0], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
        });
        let found = found.optional()?.filter(|(bytes, sum)| *sum == checksum(&[bytes]));
        Ok(found.map(|(bytes, _)| bytes))
    }

    /// Removes what there is of all models but `model`, and gives the room back if nobody
    /// else uses the file. Leaves all as it is where another embedder than `chosen` has been
    /// chosen since, or `model` is gone.
    pub(crate) fn keep_only(
        &self,
        model: ModelNumber,
        chosen: Option<&str>,
    ) -> Result<(), IndexError> {
        let exists = |what: &str| {
            let sql = format!("SELECT EXISTS(SELECT 1 FROM {what} ?1)");
            self.connection.query_row(&sql, [model], |row| row.get::<_, bool>(0))
        };
        let has_others = exists("vectors WHERE model <>")? || exists("model WHERE id <>")?;
        if !has_others && self.setting(Setting::EmbedderBefore)?.is_none() {
            // Nobody is waited for where there is nothing to write.
            return Ok(());
        }
        let transaction = self.begin(&Cancel::NEVER)?;
        if self.setting(Setting::Embedder)?.as_deref() != chosen || !exists("model WHERE id =")? {
            return Ok(());
        }
        let mut has_room = false;
        for others in ["vectors WHERE model <>", "model WHERE id <>"] {
            // Nothing is written for nothing.
            if exists(others)? {
                transaction.execute(&format!("DELETE FROM {others} ?1"), [model])?;
                has_room = true;
            }
        }
        if self.setting(Setting::EmbedderBefore)?.is_some() {
            let sql = "DELETE FROM setting WHERE name = ?1";
            transaction.execute(sql, [Setting::EmbedderBefore.name()])?;
        }
        transaction.commit()?;
        if has_room {
            // Fails while another process reads; the room is then used for what comes.
            drop(self.connection.execute_batch("VACUUM"));
        }
        Ok(())
    }

    /// Remembers `embedder` as the one that was chosen instead of `current`.
    pub(crate) fn choose(&self, embedder: &str, current: &str) -> Result<(), IndexError> {
        let transaction = self.begin(&Cancel::NEVER)?;
        // Of several changes the first has the vectors that are all there.
        let before = self.setting(Setting::EmbedderBefore)?;
        if before.is_none_or(|before| before == embedder) {
            self.set(Setting::EmbedderBefore, current)?;
        }
        self.set(Setting::Embedder, embedder)?;
        Ok(transaction.commit()?)
    }

    /// What is remembered.
    pub(crate) fn setting(&self, setting: Setting) -> Result<Option<String>, IndexError> {
        let sql = "SELECT value FROM setting WHERE name = ?1";
        Ok(self.connection.query_row(sql, [setting.name()], |row| row.get(0)).optional()?)
    }

    fn set(&self, setting: Setting, value: &str) -> Result<(), IndexError> {
        let sql = "INSERT OR REPLACE INTO setting(name, value) VALUES (?1, ?2)";
        self.connection.execute(sql, [setting.name(), value])?;
        Ok(())
    }
}
