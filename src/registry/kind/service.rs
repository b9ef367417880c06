use serde_json::Value as Json;

use crate::document::{Fields, code};
use crate::id::EntryId;

use super::context::{EntryContext, Wanted};
use super::lifecycle::Lifecycle;

/// The host that belongs to the node itself.
const CONTROL_HOST: &str = "node:control";

/// A process that is kept running (`process.service`, supervision.md section 6).
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessService {
    /// The `process.lua` that it runs.
    pub process: EntryId,
    /// The `process.host` that it runs on.
    pub host: EntryId,
    /// The arguments of its main function.
    pub input: Vec<Json>,
    /// How it is started and restarted.
    pub lifecycle: Lifecycle,
}

impl ProcessService {
    pub(super) fn read(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Option<Self> {
        let process = fields.required("process");
        let process = process.and_then(|field| context.id(&field, Wanted::Process));
        let host = fields.required("host").and_then(|field| {
            if field.node().as_scalar().is_some_and(|text| text.text == CONTROL_HOST) {
                let message = "`node:control` belongs to the node itself: name a process.host";
                return field.refuse(code::INVALID_VALUE, message);
            }
            context.id(&field, Wanted::Host)
        });
        let input = fields.optional("input").and_then(|field| field.items());
        let input = input.unwrap_or_default().iter().map(|item| item.json()).collect();
        let lifecycle = Lifecycle::of(fields, context);
        Some(Self { process: process?, host: host?, input, lifecycle })
    }
}
