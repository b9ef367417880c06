use clap::Args;
use serde_json::json;

use super::output;
use crate::wire::PROTOCOL_VERSION;

/// Arguments of `moonmesh version`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moonmesh version\n  moonmesh version --short\n  moonmesh version --json | jq -r .mesh_protocol"
)]
pub struct VersionArgs {
    /// Only the number
    #[arg(long, conflicts_with = "json")]
    short: bool,
    /// Machine-readable: version, commit, build date, mesh protocol, Lua, target
    #[arg(long)]
    json: bool,
}

impl VersionArgs {
    /// Prints what was asked for.
    pub fn execute(&self) -> anyhow::Result<()> {
        if self.short {
            output::print(&format!("{}\n", env!("CARGO_PKG_VERSION")))?;
        } else if self.json {
            output::print_json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "commit": COMMIT,
                "built": BUILT,
                "mesh_protocol": PROTOCOL_VERSION,
                "lua": LUA,
                "target": target(),
            }))?;
        } else {
            output::print(&format!("{}\n", line()))?;
        }
        Ok(())
    }
}

/// Set by the environment of a release build; a plain `cargo build` does not know them.
const COMMIT: Option<&str> = option_env!("MOONMESH_COMMIT");
const BUILT: Option<&str> = option_env!("MOONMESH_BUILT");
const LUA: &str = "5.4";

/// Everything about this build in one line.
pub fn line() -> String {
    format!(
        "moonmesh {} (commit {}, built {}, mesh protocol {PROTOCOL_VERSION}, Lua {LUA}, {})",
        env!("CARGO_PKG_VERSION"),
        COMMIT.unwrap_or("unknown"),
        BUILT.unwrap_or("from source"),
        target(),
    )
}

fn target() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}
