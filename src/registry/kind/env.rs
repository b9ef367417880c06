use smol_str::SmolStr;

use crate::document::{Field, Fields, code as document_code};
use crate::id::EntryId;

use super::context::{EntryContext, Wanted};

/// Where variables are kept (the `env.storage` kinds).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvStorage {
    /// In memory.
    Memory,
    /// In the environment of the operating system's process; read-only.
    Os,
    /// Fixed; read-only.
    Static {
        /// Names with their values.
        values: Vec<(SmolStr, SmolStr)>,
    },
    /// In a file of lines `KEY=value`.
    File {
        /// Path of the file.
        file_path: SmolStr,
        /// Make the file if it is missing. Default `false`.
        auto_create: bool,
        /// Permissions of a new file. Default 0600.
        file_mode: u32,
        /// Permissions of a new directory. Default 0700.
        dir_mode: u32,
    },
    /// In the first of several storages that has it.
    Router {
        /// At least one.
        storages: Vec<EntryId>,
    },
}

/// A variable with a public name (`env.variable`). An empty stored value counts as unset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvVariable {
    /// The public name, unique among all variables.
    pub variable: Option<SmolStr>,
    /// Where it is kept.
    pub storage: EntryId,
    /// The value while it is unset.
    pub default: Option<SmolStr>,
    /// Whether scripts may not set it. Default `false`.
    pub readonly: bool,
}

impl EnvStorage {
    pub(super) fn read_static(fields: &mut Fields<'_>) -> Self {
        let pairs = fields.optional("values").and_then(|field| field.pairs()).unwrap_or_default();
        let text = |(entry, field): (&crate::document::MapEntry, Field<'_>)| {
            field.text().map(|value| (entry.key.clone(), value.text))
        };
        EnvStorage::Static { values: pairs.into_iter().filter_map(text).collect() }
    }

    pub(super) fn read_file(fields: &mut Fields<'_>) -> Option<Self> {
        let file_path = fields.required("file_path").and_then(|field| field.filled_text());
        let auto_create = fields.flag_or("auto_create", false);
        let mut mode = |name, default| {
            fields.optional(name).and_then(|field| file_mode(&field)).unwrap_or(default)
        };
        let (file_mode, dir_mode) = (mode("file_mode", 0o600), mode("dir_mode", 0o700));
        Some(EnvStorage::File { file_path: file_path?.text, auto_create, file_mode, dir_mode })
    }

    pub(super) fn read_router(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Self {
        let field = fields.required("storages");
        let storages = field.as_ref().map(|field| context.ids(field, Wanted::Storage));
        let storages = storages.unwrap_or_default();
        if let Some(field) =
            field.filter(|field| field.node().as_list().is_some_and(<[_]>::is_empty))
        {
            field.refuse::<()>(document_code::INVALID_VALUE, "the list is empty");
        }
        EnvStorage::Router { storages }
    }
}

impl EnvVariable {
    pub(super) fn read(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Option<Self> {
        let variable = fields.optional("variable").and_then(|field| {
            let name = field.text()?.text;
            if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return Some(name).filter(|name| !name.is_empty());
            }
            let message = format!("the name `{name}` may only have letters, digits and '_'");
            field.refuse(document_code::INVALID_VALUE, message)
        });
        let storage = fields.required("storage");
        let storage = storage.and_then(|field| context.id(&field, Wanted::Storage));
        let default = fields.optional("default").and_then(|field| field.text());
        let readonly = fields.flag_or("readonly", false);
        let default = default.map(|text| text.text);
        Some(Self { variable, storage: storage?, default, readonly })
    }
}

/// Permissions in octal, as `chmod` takes them: `0600`, `"600"`, `0o600`.
fn file_mode(field: &Field<'_>) -> Option<u32> {
    let text = field.text()?.text;
    let digits = text.strip_prefix("0o").unwrap_or(&text);
    match u32::from_str_radix(digits, 8) {
        Ok(mode) if mode <= 0o7777 && !digits.starts_with('+') => Some(mode),
        _ => {
            let message = format!("`{text}` is no file mode: write it in base 8, such as 0600");
            field.refuse(document_code::INVALID_VALUE, message)
        }
    }
}
