use crate::lua::host::Host;
use crate::lua::raw::{Flow, Kind, Stack};
use crate::value::{ErrorValue, kind};

/// `process.get_options()`
pub fn get(host: &Host, stack: Stack<'_>) -> Flow {
    let process = host.process();
    stack.new_table(0, 2);
    stack.push_bool(process.trap_links());
    stack.raw_set_field(-2, "trap_links");
    stack.push_bool(process.upgradable());
    stack.raw_set_field(-2, "upgradable");
    Flow::Return(1)
}

/// `process.set_options(options)`: valid keys apply even when another is refused.
pub fn set(host: &Host, stack: Stack<'_>) -> Flow {
    if stack.kind(1) != Kind::Table {
        return refuse(host, stack, "options parameter must be a table".into());
    }
    let process = host.process();
    let mut refusal = None;
    stack.push_nil();
    while stack.next(1) {
        if stack.kind(-2) == Kind::String {
            let key = String::from_utf8_lossy(stack.str(-2).unwrap_or_default()).into_owned();
            let is_flag = stack.kind(-1) == Kind::Boolean;
            match key.as_str() {
                "trap_links" if is_flag => process.set_trap_links(stack.truth(-1)),
                "upgradable" if is_flag => process.set_upgradable(stack.truth(-1)),
                "trap_links" | "upgradable" => {
                    refusal = Some(format!("{key} must be a boolean"));
                }
                _ => refusal = Some(format!("option {key} is not supported")),
            }
        }
        stack.pop();
    }
    match refusal {
        Some(text) => refuse(host, stack, text),
        None => {
            stack.push_bool(true);
            Flow::Return(1)
        }
    }
}

/// This call fails with `false, err`, unlike the others.
fn refuse(host: &Host, stack: Stack<'_>, text: String) -> Flow {
    stack.push_bool(false);
    host.push_error(stack, ErrorValue::new(kind::INVALID, text));
    Flow::Return(2)
}
