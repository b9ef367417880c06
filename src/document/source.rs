use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::code;

/// Where the text of a [`Source`] was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// A file.
    File,
    /// A flag of the command line.
    CommandLine,
    /// An environment variable.
    Environment,
    /// The program itself.
    BuiltIn,
}

/// A text with a name, for positions to point into. Shared through [`Arc`] by all of its spans.
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
    medium: Medium,
    line_starts: OnceLock<Vec<u32>>,
}

/// Why a file cannot be a [`Source`].
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("no such file")]
    Missing,
    /// A directory, a pipe, a device.
    #[error("not a regular file")]
    Irregular,
    /// Longer than allowed.
    #[error("the file is longer than {limit_bytes} bytes, the most that is read")]
    TooLarge {
        /// The limit that was given.
        limit_bytes: u64,
    },
    /// Not UTF-8.
    #[error("the file is not UTF-8 text: byte {offset} does not fit")]
    NotUtf8 {
        /// Offset of the first bad byte.
        offset: usize,
    },
    /// The operating system refuses.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
}

impl ReadError {
    /// The identifier of the problem in a report.
    pub fn code(&self) -> &'static str {
        match self {
            ReadError::TooLarge { .. } => code::TOO_LARGE,
            ReadError::NotUtf8 { .. } => code::NOT_UTF8,
            ReadError::Missing | ReadError::Irregular | ReadError::Io(_) => code::UNREADABLE,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => ReadError::Missing,
            _ => ReadError::Io(error),
        }
    }
}

impl Source {
    /// `text` under `name`.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>, medium: Medium) -> Arc<Self> {
        let (name, text) = (name.into(), text.into());
        Arc::new(Self { name, text, medium, line_starts: OnceLock::new() })
    }

    /// The regular file at `path`, of at most `limit_bytes`, under `name`. Its size is checked
    /// before anything is read.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn read(
        path: &Path,
        name: impl Into<Arc<str>>,
        limit_bytes: u64,
    ) -> Result<Arc<Self>, ReadError> {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(ReadError::Irregular);
        }
        if metadata.len() > limit_bytes {
            return Err(ReadError::TooLarge { limit_bytes });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        File::open(path)?.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit_bytes {
            return Err(ReadError::TooLarge { limit_bytes });
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| ReadError::NotUtf8 { offset: error.utf8_error().valid_up_to() })?;
        Ok(Self::new(name, text, Medium::File))
    }

    /// The name: a path as the user would type it, a flag, a variable.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Where the text was written.
    pub fn medium(&self) -> Medium {
        self.medium
    }

    /// Line `line` (counted from 1) without its end; empty past the last one.
    pub fn line(&self, line: u32) -> &str {
        self.text.get(self.line_range(line)).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// The span of line `line` (counted from 1), without its end.
    pub fn line_span(self: &Arc<Self>, line: u32) -> Span {
        let start = self.line_range(line).start;
        Span::new(self.clone(), start..start + self.line(line).len())
    }

    fn line_range(&self, line: u32) -> Range<usize> {
        let starts = self.line_starts();
        let index = line.saturating_sub(1) as usize;
        let at = |index: usize| starts.get(index).map_or(self.text.len(), |start| *start as usize);
        at(index)..at(index + 1)
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect()
        })
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A piece of a [`Source`]. Cloning is a reference count.
#[derive(Clone)]
pub struct Span {
    source: Arc<Source>,
    start: u32,
    end: u32,
}

impl Span {
    /// The bytes `range` of `source`, clipped to its text.
    pub fn new(source: Arc<Source>, range: Range<usize>) -> Self {
        let length = source.text.len();
        let start = range.start.min(length);
        let end = range.end.clamp(start, length);
        Self { source, start: start as u32, end: end as u32 }
    }

    /// All of `source`.
    pub fn whole(source: Arc<Source>) -> Self {
        let length = source.text.len();
        Self::new(source, 0..length)
    }

    /// The place before the first character of `source`: where to point for a fault of the file.
    pub fn top(source: Arc<Source>) -> Self {
        Self::new(source, 0..0)
    }

    /// The first line of a file of which nothing could be read.
    pub fn unread_file(name: impl Into<Arc<str>>) -> Self {
        Self::top(Source::new(name, "", Medium::File))
    }

    /// What the span points into.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Name of the source.
    pub fn file(&self) -> &Arc<str> {
        &self.source.name
    }

    /// The bytes of the source.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        self.source.text.get(self.range()).unwrap_or_default()
    }

    /// Line of the start, counted from 1.
    pub fn line(&self) -> u32 {
        self.source.line_starts().partition_point(|start| *start <= self.start) as u32
    }

    /// Column of the start in characters, counted from 1.
    pub fn column(&self) -> u32 {
        let line_start = self.source.line_range(self.line()).start;
        let before = self.source.text.get(line_start..self.start as usize).unwrap_or_default();
        before.chars().count() as u32 + 1
    }

    /// The same place in a copy of the source without its text: for problems with something that
    /// must not be shown.
    #[must_use]
    pub fn without_text(&self) -> Span {
        let (lines, columns) = (self.line() as usize - 1, self.column() as usize - 1);
        let blank = format!("{}{}", "\n".repeat(lines), " ".repeat(columns));
        let end = blank.len();
        let copy = Source::new(self.source.name.clone(), blank, self.source.medium);
        Self::new(copy, end..end)
    }

    /// From the start of this span to the end of `last`, a later span of the same source.
    #[must_use]
    pub fn to(&self, last: &Span) -> Span {
        Self { source: self.source.clone(), start: self.start, end: last.end.max(self.start) }
    }
}

impl PartialEq for Span {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source) && self.range() == other.range()
    }
}

impl Eq for Span {}

impl fmt::Display for Span {
    /// `file:line:column`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.source.name, self.line(), self.column())
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let source = Source::new("a.yaml", "one\nzw\u{f6}: x\r\n\nend", Medium::File);
        let span = Span::new(source.clone(), 10..11);
        assert_eq!((span.text(), span.line(), span.column()), ("x", 2, 6));
        assert_eq!(source.line(2), "zw\u{f6}: x");
        assert_eq!((source.line(3), source.line(4), source.line(5)), ("", "end", ""));
        assert_eq!(source.line_span(4).to_string(), "a.yaml:4:1");
        assert_eq!(Span::new(source.clone(), 90..99).to_string(), "a.yaml:4:4");
        assert_eq!(Span::unread_file("b").to_string(), "b:1:1");
        let hidden = span.without_text();
        assert_eq!(
            (hidden.to_string(), hidden.source().line(2).trim()),
            ("a.yaml:2:6".to_owned(), "")
        );
    }

    #[test]
    fn only_small_regular_utf8_files_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f");
        let read = |limit| Source::read(&path, "f", limit);
        assert!(matches!(read(10), Err(ReadError::Missing)));
        std::fs::write(&path, "0123456789").unwrap();
        assert_eq!(&**read(10).unwrap().text(), "0123456789");
        assert!(matches!(read(9), Err(ReadError::TooLarge { limit_bytes: 9 })));
        std::fs::write(&path, b"ab\xff").unwrap();
        assert!(matches!(read(10), Err(ReadError::NotUtf8 { offset: 2 })));
        let directory = Source::read(directory.path(), "d", 10);
        assert!(matches!(directory, Err(ReadError::Irregular)));
    }
}
