//! The user's folders, and the environment variables that agents read. The program reads them; this
//! crate is given them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// The part of a process's environment that says where users and agents have their files.
#[derive(Debug, Clone, Default)]
pub struct UserEnvironment {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The search path of programs.
    pub program_path: Option<OsString>,
    /// The folder for user data of all programs (`XDG_DATA_HOME`), if the user moved it.
    pub data_home: Option<PathBuf>,
    /// Windows' folder for user data on this machine (`LOCALAPPDATA`).
    pub local_app_data: Option<PathBuf>,
    /// The folder for settings of all programs (`XDG_CONFIG_HOME`), if the user moved it.
    pub config_home: Option<PathBuf>,
    /// The folders and files of agents that the user moved, by the variables that name them.
    pub agent_paths: BTreeMap<&'static str, PathBuf>,
    /// The addresses, identities and features of agents, by the variables that set them.
    pub agent_variables: BTreeMap<&'static str, String>,
}

/// A platform with its own conventions for folders.
#[derive(Debug, Clone, Copy)]
enum Platform {
    Mac,
    Windows,
    Other,
}

impl Platform {
    const CURRENT: Self = if cfg!(target_os = "macos") {
        Self::Mac
    } else if cfg!(windows) {
        Self::Windows
    } else {
        Self::Other
    };
}

impl UserEnvironment {
    /// Returns the folder for user data of all programs: `XDG_DATA_HOME`, or the platform's
    /// default.
    pub fn data_folder(&self) -> Option<PathBuf> {
        self.data_folder_on(Platform::CURRENT)
    }

    fn data_folder_on(&self, platform: Platform) -> Option<PathBuf> {
        let is_absolute = |path: &PathBuf| path.is_absolute();
        let usual = match platform {
            Platform::Mac => self.path_in_home("Library/Application Support"),
            Platform::Windows => self
                .local_app_data
                .clone()
                .filter(is_absolute)
                .or_else(|| self.path_in_home("AppData/Local")),
            Platform::Other => self.path_in_home(".local/share"),
        };
        // The XDG specification ignores relative paths.
        self.data_home.clone().filter(is_absolute).or(usual)
    }

    /// Returns the folder for settings of all programs: `XDG_CONFIG_HOME`, or `.config` in the home
    /// folder.
    pub fn config_folder(&self) -> Option<PathBuf> {
        let moved = self.config_home.clone().filter(|path| path.is_absolute());
        moved.or_else(|| self.path_in_home(".config"))
    }

    /// Returns a path below the home folder.
    pub fn path_in_home(&self, path: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(path))
    }

    /// Returns the value of a variable in `agent_variables`.
    pub fn agent_variable(&self, variable: &str) -> Option<&str> {
        self.agent_variables.get(variable).map(String::as_str)
    }

    /// Returns the folder or file that a variable in `agent_paths` names.
    pub(crate) fn agent_path(&self, variable: &str) -> Option<PathBuf> {
        self.agent_paths.get(variable).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn data_lies_where_the_platform_has_it() {
        let bare = UserEnvironment { home: Some("/home/a".into()), ..UserEnvironment::default() };
        let told = UserEnvironment {
            data_home: Some("/data".into()),
            local_app_data: Some("/local".into()),
            ..bare.clone()
        };
        let local = UserEnvironment { data_home: Some("no/path".into()), ..told.clone() };
        for (platform, expected) in [
            (Platform::Mac, ["/home/a/Library/Application Support"; 2]),
            (Platform::Windows, ["/home/a/AppData/Local", "/local"]),
            (Platform::Other, ["/home/a/.local/share"; 2]),
        ] {
            let folders = [&bare, &local].map(|environment| environment.data_folder_on(platform));
            assert_eq!(folders, expected.map(|path| Some(PathBuf::from(path))));
            assert_eq!(told.data_folder_on(platform), Some("/data".into()));
            assert_eq!(UserEnvironment::default().data_folder_on(platform), None);
        }
    }
}
