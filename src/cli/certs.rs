use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::arguments::VARIABLES;
use super::output;
use super::problem::Problem;
use super::table::table;
use crate::id::NodeName;
use crate::mesh::certs::{CertsError, Details, Role, State, Store, Validity};

/// Arguments of `moonmesh certs`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moonmesh certs init --cluster shop\n  moonmesh certs issue n1 n2 n3\n  moonmesh certs show\n\nEvery node needs ca.crt, its own NAME.crt and NAME.key; ca.key stays where certificates are made.\nThe name in the certificate is the name of the node."
)]
pub struct CertsArgs {
    /// Folder of the authority and the certificates
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        default_value = "certs",
        env = VARIABLES[1]
    )]
    dir: PathBuf,
    /// What to do
    #[command(subcommand)]
    command: CertsCommand,
}

#[derive(Debug, Subcommand)]
enum CertsCommand {
    /// Make the authority of a new cluster
    Init {
        /// Name of the cluster, shown in its certificate
        #[arg(long, default_value = "moonmesh")]
        cluster: String,
        /// How long it is valid
        #[arg(long, default_value_t = 3650, value_parser = clap::value_parser!(u32).range(1..=36_500))]
        days: u32,
    },
    /// Make certificate and key of new nodes
    Issue(NodesArgs),
    /// Replace certificate and key of nodes; running ones take them without a restart
    Renew(NodesArgs),
    /// Show all certificates of the folder and until when they are valid
    Show {
        /// Machine-readable
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct NodesArgs {
    /// Names of the nodes
    #[arg(required = true, value_name = "NODE")]
    nodes: Vec<NodeName>,
    /// How long they are valid
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=36_500))]
    days: u32,
}

impl CertsArgs {
    /// Makes or shows certificates.
    pub fn execute(&self) -> anyhow::Result<()> {
        let store = Store::new(&self.dir);
        let explain = |error| self.explain(error);
        match &self.command {
            CertsCommand::Init { cluster, days } => {
                let details = store.init(cluster, Validity::days(*days)).map_err(explain)?;
                output::print(&self.made("ca", &details))?;
            }
            CertsCommand::Issue(args) => {
                for node in &args.nodes {
                    let details = store.issue(node, Validity::days(args.days)).map_err(explain)?;
                    output::print(&self.made(node.as_str(), &details))?;
                }
            }
            CertsCommand::Renew(args) => {
                for node in &args.nodes {
                    let details = store.renew(node, Validity::days(args.days)).map_err(explain)?;
                    output::print(&self.made(node.as_str(), &details))?;
                }
            }
            CertsCommand::Show { json } => {
                output::print(&listing(&store.show().map_err(explain)?, *json))?;
            }
        }
        Ok(())
    }

    fn made(&self, name: &str, details: &Details) -> String {
        let path = self.dir.join(name);
        let path = path.display();
        format!(
            "{path}.crt, {path}.key: {}, valid until {}\n",
            details.subject,
            day(details.not_after)
        )
    }

    fn explain(&self, error: CertsError) -> Problem {
        let dir = self.dir.display();
        let problem = Problem::failure(error.to_string());
        match error {
            CertsError::File { path, source } if source.kind() == std::io::ErrorKind::NotFound => {
                match path.file_stem().and_then(|stem| stem.to_str()) {
                    Some("ca") => {
                        problem.hint(format!("make an authority: moonmesh certs --dir {dir} init"))
                    }
                    Some(node) if path.extension().is_some() => {
                        problem.hint(format!("make it: moonmesh certs --dir {dir} issue {node}"))
                    }
                    _ => problem.hint(format!("start with: moonmesh certs --dir {dir} init")),
                }
            }
            _ => problem,
        }
    }
}

fn listing(all: &[(PathBuf, Details)], machine: bool) -> String {
    if machine {
        let list: Json = all.iter().map(|(path, details)| to_json(path, details)).collect();
        return format!("{list:#}\n");
    }
    let rows = all.iter().map(|(path, details)| {
        vec![
            path.display().to_string(),
            role(details.role).to_owned(),
            details.names.join(", "),
            day(details.not_after),
            state(details).to_owned(),
        ]
    });
    table(&["FILE", "ROLE", "NODE", "VALID UNTIL", "STATE"], rows)
}

fn to_json(path: &Path, details: &Details) -> Json {
    json!({
        "file": path.display().to_string(),
        "role": role(details.role),
        "names": details.names,
        "subject": details.subject,
        "issuer": details.issuer,
        "serial": details.serial,
        "not_before": timestamp(details.not_before),
        "not_after": timestamp(details.not_after),
        "state": state(details),
    })
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Authority => "authority",
        Role::Node => "node",
    }
}

fn state(details: &Details) -> &'static str {
    match details.state(SystemTime::now()) {
        State::NotYetValid => "not yet valid",
        State::Valid => "valid",
        State::Expired => "expired",
    }
}

fn day(time: SystemTime) -> String {
    let text = timestamp(time);
    text.split_once('T').map_or(text.clone(), |(day, _)| day.to_owned())
}

fn timestamp(time: SystemTime) -> String {
    // A certificate may name a time that no calendar has; it is still shown.
    Timestamp::try_from(time).map_or_else(|_| "beyond the calendar".to_owned(), |t| t.to_string())
}
