use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Lines that wait to be written at most.
const QUEUED: usize = 8_192;
/// How long the end of the program waits for them.
const FLUSH: Duration = Duration::from_secs(1);

enum Item {
    Line(String),
    /// Answered when everything before it is written.
    Mark(SyncSender<()>),
}

/// The way to the writing thread; never blocks.
#[derive(Clone)]
pub(super) struct Queue {
    items: SyncSender<Item>,
    lost: Arc<AtomicU64>,
}

impl Queue {
    /// Queues a line that ends with its newline, or counts it as lost.
    pub(super) fn push(&self, line: String) {
        if self.items.try_send(Item::Line(line)).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The thread that writes.
pub(super) struct Writer {
    queue: Queue,
}

impl Writer {
    /// Starts it.
    pub(super) fn start(sink: impl Write + Send + 'static) -> Self {
        let (items, received) = sync_channel(QUEUED);
        let lost = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&lost);
        let thread = thread::Builder::new().name("log".to_owned());
        if thread.spawn(move || write_all(&received, sink, &counter)).is_err() {
            // Without a thread the queue has no receiver, and every line counts as lost.
            lost.fetch_add(1, Ordering::Relaxed);
        }
        Self { queue: Queue { items, lost } }
    }

    pub(super) fn queue(&self) -> Queue {
        self.queue.clone()
    }

    pub(super) fn lost(&self) -> u64 {
        self.queue.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let deadline = Instant::now() + FLUSH;
        let (done, written) = sync_channel(1);
        let mut mark = Item::Mark(done);
        while let Err(TrySendError::Full(back)) = self.queue.items.try_send(mark) {
            if Instant::now() >= deadline {
                return;
            }
            mark = back;
            thread::sleep(Duration::from_millis(1));
        }
        let _ = written.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    }
}

fn write_all(items: &Receiver<Item>, mut sink: impl Write, lost: &AtomicU64) {
    let mut told = 0;
    for item in items {
        match item {
            // A sink that refuses lines may take later ones.
            Item::Line(line) => drop(sink.write_all(line.as_bytes())),
            Item::Mark(done) => {
                let _ = sink.flush();
                let _ = done.send(());
            }
        }
        let now_lost = lost.load(Ordering::Relaxed);
        if now_lost > told {
            let _ = writeln!(sink, "({} log lines were lost: too many at once)", now_lost - told);
            told = now_lost;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Says what is written, and waits for permission before each write.
    struct Slow(Sender<String>, Receiver<()>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.1.recv();
            let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_arrive_in_order_before_the_writer_is_gone() {
        let (said, heard) = channel();
        let (go, wait) = channel();
        drop(go);
        let writer = Writer::start(Slow(said, wait));
        for n in 0..100 {
            writer.queue().push(format!("{n}\n"));
        }
        drop(writer);
        let expected: Vec<_> = (0..100).map(|n| format!("{n}\n")).collect();
        assert_eq!(heard.try_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_stalled_sink_costs_lines_and_says_so() {
        let (said, heard) = channel();
        let (go, wait) = channel();
        let writer = Writer::start(Slow(said, wait));
        let queue = writer.queue();
        for _ in 0..QUEUED + 50 {
            queue.push("x\n".to_owned());
        }
        // One line is in the hands of the writer, or still in the queue.
        let lost = writer.lost();
        assert!((49..=50).contains(&lost), "{lost}");
        drop(go);
        drop(writer);
        assert!(heard.iter().any(|line| line.contains("lost")));
    }
}
