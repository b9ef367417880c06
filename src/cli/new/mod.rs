//! `moonmesh new`: an application that runs and has a spec, to be changed into one's own.

mod files;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use self::files::{FILES, STUBS};
use super::output;
use super::problem::Problem;

/// Arguments of `moonmesh new`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moonmesh new shop && cd shop && moonmesh run\n  mkdir shop && cd shop && moonmesh new ."
)]
pub struct NewArgs {
    /// The folder to make, or an empty one to fill; its name is the name of the application
    #[arg(value_name = "NAME")]
    folder: PathBuf,
}

impl NewArgs {
    /// Writes the application.
    pub fn execute(&self) -> anyhow::Result<()> {
        let name = self.name()?;
        self.demand_empty()?;
        for (path, content) in FILES {
            self.write(Path::new(path), &content.replace("{name}", &name))?;
        }
        for (path, content) in STUBS {
            self.write(&Path::new(".moonmesh/meta").join(path), content)?;
        }
        let folder = self.folder.display();
        output::print(&match self.folder == Path::new(".") {
            true => "The application is ready. Next:\n  moonmesh run\n  moonmesh test\n".to_owned(),
            false => format!(
                "{folder} is ready. Next:\n  cd {folder}\n  moonmesh run\n  moonmesh test\n"
            ),
        })?;
        Ok(())
    }

    /// What the application is called: the last part of the path, also of ".".
    fn name(&self) -> Result<String, Problem> {
        let named = match self.folder.file_name() {
            Some(name) => Some(name.to_owned()),
            None => fs::canonicalize(&self.folder)
                .ok()
                .and_then(|whole| whole.file_name().map(ToOwned::to_owned)),
        };
        let named = named.map(|name| name.to_string_lossy().into_owned());
        named.ok_or_else(|| {
            Problem::usage(format!("{:?} names no folder", self.folder.display().to_string()))
                .hint("moonmesh new shop")
        })
    }

    fn demand_empty(&self) -> Result<(), Problem> {
        let refuse = |what: &str| {
            let problem = Problem::failure(format!("{} {what}", self.folder.display()));
            Err(problem.hint("another name: nothing that exists is overwritten"))
        };
        match fs::read_dir(&self.folder) {
            Ok(mut entries) => match entries.next() {
                Some(_) => refuse("is not empty"),
                None => Ok(()),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => refuse(&format!("cannot be used: {error}")),
        }
    }

    fn write(&self, path: &Path, content: &str) -> Result<(), Problem> {
        let path = self.folder.join(path);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, content))
            .map_err(|error| Problem::usage(format!("cannot write {}: {error}", path.display())))
    }
}
