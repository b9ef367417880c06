//! Layer 2: scheduler, process table, mailboxes, channels, timers, links, monitors, names.
