//! A settings file to begin with.

use crate::setting_keys::setting_keys;

/// Returns a settings file in which every setting with a default is a comment.
pub fn settings_template() -> String {
    let mut text =
        String::from("# Settings of foveal. `foveal config explain NAME` explains each.\n");
    let mut tables: Vec<(&str, String)> = Vec::new();
    for key in setting_keys() {
        let Some(default) = &key.default_value else { continue };
        let (table, last) = key.name.rsplit_once('.').unwrap_or(("", &key.name));
        let line = format!("# {last} = {default}  # {}\n", key.description);
        match tables.iter_mut().find(|(name, _)| *name == table) {
            Some((_, lines)) => *lines += &line,
            None => tables.push((table, line)),
        }
    }
    for (table, lines) in tables {
        text += &if table.is_empty() { "\n".to_owned() } else { format!("\n[{table}]\n") };
        text += &lines;
    }
    text
}
