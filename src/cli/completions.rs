use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::arguments::Cli;
use super::output;

/// Arguments of `moonmesh completions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moonmesh completions bash > ~/.local/share/bash-completion/completions/moonmesh\n  moonmesh completions zsh > ~/.zfunc/_moonmesh\n  moonmesh completions fish > ~/.config/fish/completions/moonmesh.fish"
)]
pub struct CompletionsArgs {
    /// The shell that will read the script
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArgs {
    /// Prints the script.
    pub fn execute(&self) -> anyhow::Result<()> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "moonmesh", &mut script);
        output::print(&String::from_utf8_lossy(&script))?;
        Ok(())
    }
}
