use crate::cli::exit::Exit;
use crate::value::{ErrorValue, Token, Values, View};

/// How the one process of a run ended.
pub(super) struct Ended {
    pub(super) result: Result<Values, ErrorValue>,
    /// Whether it was asked to stop by a signal.
    pub(super) was_interrupted: bool,
}

/// What is printed at the end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Texts {
    pub(super) on_stdout: String,
    pub(super) on_stderr: String,
}

/// The exit code that a result stands for, and what is printed (cli.md section 3).
pub(super) fn exit_of(ended: Ended) -> (Texts, Exit) {
    let silent = Texts::default();
    let value = match ended.result {
        Ok(value) => value,
        Err(_) if ended.was_interrupted => return (silent, Exit::Interrupted),
        Err(error) => return (complaint(&describe(&error)), Exit::Failure),
    };
    match value.view() {
        View::Inline(Token::Int(number)) => match u8::try_from(number) {
            Ok(code) => (silent, Exit::Code(code)),
            Err(_) => out_of_range(&number.to_string()),
        },
        View::Inline(Token::Float(number)) => match number {
            whole if whole.fract() == 0.0 && (0.0..=255.0).contains(&whole) => {
                (silent, Exit::Code(whole as u8))
            }
            other => out_of_range(&other.to_string()),
        },
        View::Inline(Token::Bool(true)) => (silent, Exit::Fine),
        View::Inline(Token::Bool(false)) => (silent, Exit::Failure),
        View::Inline(Token::Nil) if ended.was_interrupted => (silent, Exit::Interrupted),
        View::Inline(Token::Nil) => (silent, Exit::Fine),
        _ if value.is_empty() && ended.was_interrupted => (silent, Exit::Interrupted),
        _ if value.is_empty() => (silent, Exit::Fine),
        _ => (Texts { on_stdout: printed(&value), ..silent }, Exit::Fine),
    }
}

/// A text as it is, anything else as JSON.
fn printed(value: &Values) -> String {
    let text = match value.as_str() {
        Some(text) => String::from_utf8_lossy(text).into_owned(),
        None => match value.to_json() {
            Ok(json) => match json.as_slice() {
                [only] => format!("{only:#}"),
                several => format!("{:#}", serde_json::Value::from(several.to_vec())),
            },
            Err(error) => format!("(a value without a JSON form: {error})"),
        },
    };
    format!("{text}\n")
}

fn describe(error: &ErrorValue) -> String {
    match error.kind.as_ref() {
        "" | "Internal" => error.message.to_string(),
        kind => format!("{} ({kind})", error.message),
    }
}

fn out_of_range(number: &str) -> (Texts, Exit) {
    let text = format!("the result {number} is no exit code: a whole number from 0 to 255 is one");
    (complaint(&text), Exit::Failure)
}

fn complaint(text: &str) -> Texts {
    Texts { on_stderr: format!("Error: {text}\n"), ..Texts::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit(result: Result<Values, ErrorValue>, was_interrupted: bool) -> (String, String, u8) {
        let (texts, exit) = exit_of(Ended { result, was_interrupted });
        (texts.on_stdout, texts.on_stderr, exit.code())
    }

    #[test]
    fn every_result_has_its_exit_code() {
        let quiet = |code| (String::new(), String::new(), code);
        let fine = |value| exit(Ok(value), false);
        assert_eq!(fine(Values::EMPTY), quiet(0));
        assert_eq!(fine(Values::NIL), quiet(0));
        assert_eq!(fine(Values::bool(true)), quiet(0));
        assert_eq!(fine(Values::bool(false)), quiet(1));
        assert_eq!(fine(Values::int(7)), quiet(7));
        assert_eq!(fine(Values::float(7.0)), quiet(7));
        for bad in [Values::int(256), Values::int(-1), Values::float(0.5), Values::float(f64::NAN)]
        {
            let (out, err, code) = fine(bad);
            assert!(out.is_empty() && err.contains("is no exit code") && code == 1, "{err}");
        }
        assert_eq!(fine(Values::str("done")), ("done\n".into(), String::new(), 0));
        let table = Values::from_json(&serde_json::json!({"a": [1, 2]}));
        assert_eq!(fine(table).0, "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n");
        let error = || Err(ErrorValue::new("Conflict", "taken"));
        assert_eq!(exit(error(), false), (String::new(), "Error: taken (Conflict)\n".into(), 1));
        assert_eq!(exit(error(), true), quiet(130));
        assert_eq!(exit(Ok(Values::NIL), true), quiet(130));
        assert_eq!(exit(Ok(Values::int(3)), true), quiet(3));
    }
}
