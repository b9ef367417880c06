//! Layer 3: one running `pg.scope`.
