/// The files of a new application: path and content. `{name}` stands for its name.
pub(super) const FILES: [(&str, &str); 7] = [
    ("registry/_index.yaml", include_str!("template/_index.yaml")),
    ("registry/greeter.lua", include_str!("template/greeter.lua")),
    ("registry/greeter_spec.lua", include_str!("template/greeter_spec.lua")),
    ("moonmesh.yaml", include_str!("template/moonmesh.yaml")),
    ("README.md", include_str!("template/README.md")),
    (".luarc.json", include_str!("template/luarc.json")),
    (".gitignore", include_str!("template/gitignore")),
];

/// The descriptions of all modules for the Lua language server.
pub(super) const STUBS: [(&str, &str); 17] = [
    ("channel.lua", include_str!("../../../lua/meta/channel.lua")),
    ("ctx.lua", include_str!("../../../lua/meta/ctx.lua")),
    ("errors.lua", include_str!("../../../lua/meta/errors.lua")),
    ("events.lua", include_str!("../../../lua/meta/events.lua")),
    ("funcs.lua", include_str!("../../../lua/meta/funcs.lua")),
    ("globals.lua", include_str!("../../../lua/meta/globals.lua")),
    ("json.lua", include_str!("../../../lua/meta/json.lua")),
    ("logger.lua", include_str!("../../../lua/meta/logger.lua")),
    ("payload.lua", include_str!("../../../lua/meta/payload.lua")),
    ("pg.lua", include_str!("../../../lua/meta/pg.lua")),
    ("process.lua", include_str!("../../../lua/meta/process.lua")),
    ("registry.lua", include_str!("../../../lua/meta/registry.lua")),
    ("security.lua", include_str!("../../../lua/meta/security.lua")),
    ("spec.lua", include_str!("../../../lua/meta/spec.lua")),
    ("system.lua", include_str!("../../../lua/meta/system.lua")),
    ("time.lua", include_str!("../../../lua/meta/time.lua")),
    ("uuid.lua", include_str!("../../../lua/meta/uuid.lua")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stub_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/lua/meta");
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, STUBS.map(|(name, _)| name));
    }
}
