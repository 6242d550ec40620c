//! The data that depends on a model: vectors, stored apart from the rows of files, and the chosen
//! embedder.
//!
//! With a slow model, the vectors of a file come later than its words, and the vectors of the
//! previous model stay until the new ones are complete. Like rows of files, vectors are never
//! changed, and their numbers are never reused.

use foveal_relevance::embedding::{ModelId, QuantizedVector};
use foveal_transcript::CancelToken;
use rusqlite::{OptionalExtension, params};

use super::database::IndexStore;
use super::rows::{
    IndexedFile, ModelNumber, StoredModel, VectorsId, checksum, known_file_from_row,
};
use super::settings::IndexSetting;
use crate::error::IndexError;
use crate::vector_codec;

impl IndexStore {
    /// Returns the model with this name, if it is stored and intact.
    pub(crate) fn find_model(&self, identity: &ModelId) -> Result<Option<StoredModel>, IndexError> {
        Ok(self.select_models("identity = ?1", identity)?.pop())
    }

    /// Returns the models that had this name before, see [`Self::retire_model`].
    pub(crate) fn retired_models(
        &self,
        identity: &ModelId,
    ) -> Result<Vec<StoredModel>, IndexError> {
        self.select_models("identity = ?1 || ' until ' || id", identity)
    }

    fn select_models(
        &self,
        which: &str,
        identity: &ModelId,
    ) -> Result<Vec<StoredModel>, IndexError> {
        let sql = format!("SELECT id, dimensions, probe FROM model WHERE {which} ORDER BY id");
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map([identity.as_str()], |row| {
            Ok((ModelNumber(row.get(0)?), row.get::<_, u32>(1)?, row.get::<_, Vec<u8>>(2)?))
        })?;
        let mut models = Vec::new();
        for row in rows {
            let (number, dimensions, probe) = row?;
            let dimensions = dimensions as usize;
            let probe = vector_codec::decode_vectors(&probe, dimensions, 1);
            models.extend(probe.map(|probe| StoredModel { number, dimensions, probe }));
        }
        Ok(models)
    }

    /// Stores a new model with this name, or returns the one that another process just stored.
    pub(crate) fn add_model(
        &self,
        identity: &ModelId,
        probe: &QuantizedVector,
    ) -> Result<Option<StoredModel>, IndexError> {
        let transaction = self.begin_transaction(&CancelToken::NEVER)?;
        // An unreadable model is replaced.
        let other = if self.find_model(identity)?.is_some() { "IGNORE" } else { "REPLACE" };
        let sql = format!(
            "INSERT OR {other} INTO model(identity, dimensions, probe) VALUES (?1, ?2, ?3)"
        );
        let dimensions = u32::try_from(probe.values.len()).unwrap_or(u32::MAX);
        let bytes = vector_codec::encode_vectors(std::iter::once(probe.clone()));
        transaction.execute(&sql, params![identity.as_str(), dimensions, bytes])?;
        transaction.commit()?;
        self.find_model(identity)
    }

    /// Takes the name from a model because it now belongs to another one. Gives the name to
    /// `again`, a model that had it before, if that is the one.
    pub(crate) fn retire_model(
        &self,
        model: Option<ModelNumber>,
        again: Option<(ModelNumber, &ModelId)>,
    ) -> Result<(), IndexError> {
        let transaction = self.begin_transaction(&CancelToken::NEVER)?;
        if let Some(model) = model {
            let sql = "UPDATE model SET identity = identity || ' until ' || id WHERE id = ?1";
            transaction.execute(sql, [model])?;
        }
        if let Some((model, identity)) = again {
            // Another process may have given the name first.
            let sql = "UPDATE OR IGNORE model SET identity = ?2 WHERE id = ?1";
            transaction.execute(sql, params![model, identity.as_str()])?;
        }
        Ok(transaction.commit()?)
    }

    /// Returns the files with chunks but without vectors of `model`, by path.
    pub(crate) fn files_without_vectors(
        &self,
        model: ModelNumber,
    ) -> Result<Vec<(String, IndexedFile)>, IndexError> {
        let sql = "SELECT path, hash, class, chunks, checksum, id, bytes, changed FROM file f WHERE chunks > 0 \
                   AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.file = f.id AND v.model = ?1)";
        let mut statement = self.connection.prepare(sql)?;
        let rows =
            statement.query_map([model], |row| Ok((row.get(0)?, known_file_from_row(row)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the number of files with vectors of `model`.
    pub(crate) fn vector_count(&self, model: ModelNumber) -> Result<u64, IndexError> {
        let sql = "SELECT count(*) FROM vectors WHERE model = ?1";
        let count: i64 = self.connection.query_row(sql, [model], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// Returns the encoded vectors, or `None` if they are gone or damaged.
    pub(crate) fn vector_bytes(&self, vectors: VectorsId) -> Result<Option<Vec<u8>>, IndexError> {
        let sql = "SELECT bytes, checksum FROM vectors WHERE id = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let found = statement.query_row([vectors.0], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
        });
        let found = found.optional()?.filter(|(bytes, sum)| *sum == checksum(&[bytes]));
        Ok(found.map(|(bytes, _)| bytes))
    }

    /// Removes the data of all models but `model`, and shrinks the file if no other process uses
    /// it. Changes nothing if another embedder than `chosen` has been chosen meanwhile, or `model`
    /// is gone.
    pub(crate) fn remove_other_models(
        &self,
        model: ModelNumber,
        chosen: Option<&str>,
    ) -> Result<(), IndexError> {
        let exists = |what: &str| {
            let sql = format!("SELECT EXISTS(SELECT 1 FROM {what} ?1)");
            self.connection.query_row(&sql, [model], |row| row.get::<_, bool>(0))
        };
        let has_others = exists("vectors WHERE model <>")? || exists("model WHERE id <>")?;
        if !has_others && self.read_setting(IndexSetting::EmbedderBefore)?.is_none() {
            // Without anything to write there is no wait for a lock.
            return Ok(());
        }
        let transaction = self.begin_transaction(&CancelToken::NEVER)?;
        if self.read_setting(IndexSetting::Embedder)?.as_deref() != chosen
            || !exists("model WHERE id =")?
        {
            return Ok(());
        }
        let mut has_room = false;
        for others in ["vectors WHERE model <>", "model WHERE id <>"] {
            // An empty deletion would still write.
            if exists(others)? {
                transaction.execute(&format!("DELETE FROM {others} ?1"), [model])?;
                has_room = true;
            }
        }
        if self.read_setting(IndexSetting::EmbedderBefore)?.is_some() {
            let sql = "DELETE FROM setting WHERE name = ?1";
            transaction.execute(sql, [IndexSetting::EmbedderBefore.name()])?;
        }
        transaction.commit()?;
        if has_room {
            // Fails while another process reads. The free space is then reused.
            drop(self.connection.execute_batch("VACUUM"));
        }
        Ok(())
    }

    /// Stores `embedder` as the choice in place of `current`.
    pub(crate) fn select_embedder(&self, embedder: &str, current: &str) -> Result<(), IndexError> {
        let transaction = self.begin_transaction(&CancelToken::NEVER)?;
        // After several changes, only the first embedder has all its vectors.
        let before = self.read_setting(IndexSetting::EmbedderBefore)?;
        if before.is_none_or(|before| before == embedder) {
            self.write_setting(IndexSetting::EmbedderBefore, current)?;
        }
        self.write_setting(IndexSetting::Embedder, embedder)?;
        Ok(transaction.commit()?)
    }

    /// Returns the stored value of a setting.
    pub(crate) fn read_setting(&self, setting: IndexSetting) -> Result<Option<String>, IndexError> {
        let sql = "SELECT value FROM setting WHERE name = ?1";
        Ok(self.connection.query_row(sql, [setting.name()], |row| row.get(0)).optional()?)
    }

    fn write_setting(&self, setting: IndexSetting, value: &str) -> Result<(), IndexError> {
        let sql = "INSERT OR REPLACE INTO setting(name, value) VALUES (?1, ?2)";
        self.connection.execute(sql, [setting.name(), value])?;
        Ok(())
    }
}
