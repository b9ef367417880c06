use std::ffi::c_int;
use std::fmt;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::host::Host;
use super::{Kind, Stack};
use crate::value::{Encoder, MAX_DEPTH, Reader, TableId, Token, Values, View};

/// A value that cannot leave its process, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyError {
    /// From the inside out.
    path: Vec<String>,
    what: &'static str,
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.iter().rev().try_for_each(|step| f.write_str(step))?;
        write!(f, ": {}", self.what)
    }
}

/// Copies the values at the indexes `first` to the top out of Lua.
///
/// # Errors
/// [`CopyError`] with the path of the first value that cannot be sent: `value[2].callback: ...`.
pub fn copy_out(host: &Host, stack: Stack<'_>, first: c_int) -> Result<Values, CopyError> {
    let last = stack.top();
    if first > last {
        return Ok(Values::EMPTY);
    }
    if first == last {
        match stack.kind(first) {
            Kind::Nil => return Ok(Values::NIL),
            Kind::Boolean => return Ok(Values::bool(stack.truth(first))),
            Kind::Number if stack.is_integer(first) => {
                return Ok(Values::int(stack.integer(first).unwrap_or_default()));
            }
            Kind::Number => return Ok(Values::float(stack.number(first))),
            _ => {}
        }
    }
    let mut copier = Copier { host, stack, encoder: host.take_encoder(), seen: Seen::default() };
    let mut copy = || {
        for index in first..=last {
            copier.seen = Seen::default();
            copier
                .value(index)
                .map_err(|error| error.inside(format!("value[{}]", index - first + 1)))?;
        }
        Ok(copier.encoder.finish())
    };
    let result = copy();
    stack.set_top(last);
    host.return_encoder(copier.encoder);
    result
}

impl CopyError {
    fn new(what: &'static str) -> Self {
        Self { path: Vec::new(), what }
    }

    fn inside(mut self, step: String) -> Self {
        self.path.push(step);
        self
    }
}

struct Copier<'h, 'a> {
    host: &'h Host,
    stack: Stack<'a>,
    encoder: Encoder,
    seen: Seen,
}

/// The tables met so far in one value: few as a rule, so a list first.
#[derive(Default)]
struct Seen {
    few: SmallVec<[(usize, TableId); 8]>,
    many: FxHashMap<usize, TableId>,
}

impl Seen {
    fn find(&self, address: usize) -> Option<TableId> {
        match self.few.iter().find(|(known, _)| *known == address) {
            Some((_, table)) => Some(*table),
            None => self.many.get(&address).copied(),
        }
    }

    fn add(&mut self, address: usize, table: TableId) {
        if self.few.len() < 8 {
            self.few.push((address, table));
        } else {
            self.many.insert(address, table);
        }
    }
}

impl Copier<'_, '_> {
    fn value(&mut self, index: c_int) -> Result<(), CopyError> {
        let stack = self.stack;
        let encoder = &mut self.encoder;
        match stack.kind(index) {
            Kind::Nil | Kind::None => encoder.nil(),
            Kind::Boolean => encoder.bool(stack.truth(index)),
            Kind::Number if stack.is_integer(index) => {
                encoder.int(stack.integer(index).unwrap_or_default());
            }
            Kind::Number => encoder.float(stack.number(index)),
            Kind::String => encoder.str(stack.str(index).unwrap_or_default()),
            Kind::Table => return self.table(stack.absolute(index)),
            Kind::Userdata => return self.error_object(index),
            Kind::Function => return Err(CopyError::new("a function cannot be sent")),
            Kind::Thread => return Err(CopyError::new("a coroutine cannot be sent")),
            Kind::LightUserdata => return Err(CopyError::new("a userdata cannot be sent")),
        }
        if self.encoder.is_too_large() {
            return Err(CopyError::new("the values are larger than 16 MiB"));
        }
        Ok(())
    }

    fn table(&mut self, index: c_int) -> Result<(), CopyError> {
        let stack = self.stack;
        let address = stack.address(index);
        if let Some(table) = self.seen.find(address) {
            self.encoder.reference(table);
            return Ok(());
        }
        if self.encoder.depth() >= MAX_DEPTH {
            return Err(CopyError::new("tables are nested deeper than 1000 levels"));
        }
        if !stack.reserve(4) {
            return Err(CopyError::new("too little Lua stack is left"));
        }
        let mark = if stack.push_metatable(index) {
            let (table, mark) = self.encoder.begin_table_with_metatable();
            self.seen.add(address, table);
            self.value(-1).map_err(|error| error.inside(".<metatable>".into()))?;
            stack.pop();
            mark
        } else {
            let (table, mark) = self.encoder.begin_table();
            self.seen.add(address, table);
            mark
        };
        let length = stack.raw_len(index);
        for position in 1..=length {
            stack.raw_geti(index, position as i64);
            self.value(-1).map_err(|error| error.inside(format!("[{position}]")))?;
            stack.pop();
        }
        let pairs = self.pairs(index, length)?;
        self.encoder.end_table(mark, length as u32, pairs);
        Ok(())
    }

    fn pairs(&mut self, index: c_int, length: usize) -> Result<u32, CopyError> {
        let stack = self.stack;
        let mut pairs = 0;
        stack.push_nil();
        while stack.next(index) {
            let in_array = stack.is_integer(-2)
                && stack.integer(-2).is_some_and(|key| key >= 1 && key as u64 <= length as u64);
            if !in_array {
                self.value(-2).map_err(|error| error.inside(".<key>".into()))?;
                self.value(-1).map_err(|error| error.inside(key_step(stack)))?;
                pairs += 1;
            }
            stack.pop();
        }
        Ok(pairs)
    }

    fn error_object(&mut self, index: c_int) -> Result<(), CopyError> {
        match self.host.read_error(self.stack, index) {
            Some(error) => {
                self.encoder.error(&error);
                Ok(())
            }
            None => Err(CopyError::new("a userdata cannot be sent")),
        }
    }
}

/// How the key below the topmost value is written in a path.
fn key_step(stack: Stack<'_>) -> String {
    match stack.kind(-2) {
        Kind::String => format!(".{}", String::from_utf8_lossy(stack.str(-2).unwrap_or_default())),
        Kind::Number if stack.is_integer(-2) => format!("[{}]", stack.integer(-2).unwrap_or(0)),
        Kind::Number => format!("[{}]", stack.number(-2)),
        Kind::Boolean => format!("[{}]", stack.truth(-2)),
        kind => format!("[a {}]", kind.name()),
    }
}

/// Pushes all of `values`; answers how many.
pub fn push_values(host: &Host, stack: Stack<'_>, values: &Values) -> c_int {
    let count = values.count();
    if !stack.reserve(count + 1) {
        stack.push_nil();
        return 1;
    }
    match values.view() {
        View::Inline(token) => Pusher { host, stack, tables: None, next: 0 }.plain(token),
        View::Encoded(mut reader) => {
            let tables = values.has_references().then(|| {
                stack.new_table(8, 0);
                stack.top()
            });
            for _ in 0..count {
                let mut pusher = Pusher { host, stack, tables, next: 0 };
                if pusher.value(&mut reader).is_none() {
                    stack.push_nil();
                }
            }
            if let Some(tables) = tables {
                stack.remove(tables);
            }
        }
    }
    count as c_int
}

struct Pusher<'h, 'a> {
    host: &'h Host,
    stack: Stack<'a>,
    /// Where the tables pushed so far are kept, by number, if the values refer to them.
    tables: Option<c_int>,
    next: i64,
}

impl Pusher<'_, '_> {
    /// Pushes the next value; `None` (and nothing pushed) if the bytes end or are malformed,
    /// which checked values are not.
    fn value(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        match reader.token().ok()? {
            Token::Table { array, pairs, has_metatable } => {
                self.table(reader, array, pairs, has_metatable)
            }
            Token::Reference(number) => {
                self.stack.raw_geti(self.tables?, i64::from(number) + 1);
                Some(())
            }
            token => {
                self.plain(token);
                Some(())
            }
        }
    }

    fn plain(&self, token: Token<'_>) {
        match token {
            Token::Bool(value) => self.stack.push_bool(value),
            Token::Int(value) => self.stack.push_int(value),
            Token::Float(value) => self.stack.push_float(value),
            Token::Str(value) => self.stack.push_str(value),
            Token::Error(error) => self.host.push_error(self.stack, error),
            Token::Nil | Token::Table { .. } | Token::Reference(_) => self.stack.push_nil(),
        }
    }

    fn table(
        &mut self,
        reader: &mut Reader<'_>,
        array: u32,
        pairs: u32,
        has_metatable: bool,
    ) -> Option<()> {
        let stack = self.stack;
        stack.reserve(4).then_some(())?;
        stack.new_table(array as usize, pairs as usize);
        let table = stack.top();
        if let Some(tables) = self.tables {
            stack.push_value(table);
            self.next += 1;
            stack.raw_seti(tables, self.next);
        }
        let filled = self.fill(reader, table, array, pairs, has_metatable);
        stack.set_top(table);
        if filled.is_none() {
            stack.pop();
        }
        filled
    }

    fn fill(
        &mut self,
        reader: &mut Reader<'_>,
        table: c_int,
        array: u32,
        pairs: u32,
        has_metatable: bool,
    ) -> Option<()> {
        let stack = self.stack;
        if has_metatable {
            self.value(reader)?;
            (stack.kind(-1) == Kind::Table).then_some(())?;
            stack.set_metatable(table);
        }
        for position in 1..=i64::from(array) {
            self.value(reader)?;
            stack.raw_seti(table, position);
        }
        for _ in 0..pairs {
            self.value(reader)?;
            let is_key = match stack.kind(-1) {
                Kind::Nil => false,
                Kind::Number => !stack.number(-1).is_nan(),
                _ => true,
            };
            self.value(reader)?;
            is_key.then_some(())?;
            stack.raw_set(table);
        }
        Some(())
    }
}
