//! Layer 4: Lua VMs, environments, and one file per Lua module.
