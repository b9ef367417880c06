use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::exit::Exit;
use super::output::complain;
use super::version;

/// Runs `body`. A panic, in it or in any thread, is reported as a fault of ours and makes the
/// program end with [`Exit::Bug`], also where the node survived it.
pub fn guard(body: impl FnOnce() -> Exit) -> Exit {
    watch(body, complain)
}

fn watch(body: impl FnOnce() -> Exit, tell: impl Fn(&str) + Send + Sync + 'static) -> Exit {
    let seen = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&seen);
    panic::set_hook(Box::new(move |info| {
        flag.store(true, Ordering::Relaxed);
        tell(&report(info));
    }));
    let ended = panic::catch_unwind(AssertUnwindSafe(body));
    drop(panic::take_hook());
    match ended {
        Ok(exit) if !seen.load(Ordering::Relaxed) => exit,
        _ => Exit::Bug,
    }
}

fn report(info: &PanicHookInfo<'_>) -> String {
    let thread = std::thread::current();
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let backtrace = Backtrace::capture();
    let trace = match backtrace.status() {
        BacktraceStatus::Captured => backtrace.to_string(),
        _ => "set RUST_BACKTRACE=1 and run it again for a backtrace\n".to_owned(),
    };
    format!(
        "\nError: this is a bug in moonmesh, not in your configuration or scripts\n  \
         what: {}\n  where: {place}, thread {}\n  version: {}\n  \
         try: report it with the command line and this text\n{trace}",
        text(info.payload()),
        thread.name().unwrap_or("without a name"),
        version::line(),
    )
}

fn text(payload: &dyn Any) -> &str {
    let owned = || payload.downcast_ref::<String>().map(String::as_str);
    payload.downcast_ref::<&str>().copied().or_else(owned).unwrap_or("a panic without a text")
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_panic_anywhere_is_a_bug() {
        let told = Arc::new(Mutex::new(String::new()));
        let ended = |body: fn() -> Exit| {
            let told = Arc::clone(&told);
            watch(body, move |text| told.lock().unwrap().push_str(text))
        };
        assert_eq!(ended(|| Exit::Failure), Exit::Failure);
        assert_eq!(ended(|| panic!("in the main thread")), Exit::Bug);
        let survived = || {
            let worker = std::thread::spawn(|| panic!("in {} thread", "another"));
            assert!(worker.join().is_err());
            Exit::Fine
        };
        assert_eq!(ended(survived), Exit::Bug);
        let told = told.lock().unwrap();
        for expected in
            ["what: in the main thread\n", "what: in another thread\n", "src/cli/bug.rs:"]
        {
            assert!(told.contains(expected), "{told}");
        }
    }
}
