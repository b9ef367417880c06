//! Layer 1: actors, scopes, policies, decisions.
