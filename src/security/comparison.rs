use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::check::Operand;

/// A number of any kind; integers stay exact.
#[derive(Clone, Copy)]
enum Numeric {
    Int(i128),
    Float(f64),
}

/// Structural equality. Numbers of all kinds compare by value. A text equals a number only if it
/// is the number's canonical form: `"5"` equals 5, `"05"` and `"5e0"` do not.
pub fn equal(left: Operand<'_>, right: Operand<'_>) -> bool {
    match (left, right) {
        (Operand::Text(a), b) | (b, Operand::Text(a)) => match b {
            Operand::Text(b) => a == b,
            Operand::Json(Value::String(b)) => a == b,
            Operand::Json(Value::Number(n)) => is_canonical(a, n),
            Operand::Json(_) => false,
        },
        (Operand::Json(a), Operand::Json(b)) => values_equal(a, b),
    }
}

/// Numeric order; texts that are decimal numbers count as numbers. `None` if a side is no number.
pub fn order(left: Operand<'_>, right: Operand<'_>) -> Option<Ordering> {
    numeric(left)?.order(numeric(right)?)
}

fn values_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => numbers_equal(a, b),
        (Value::String(text), Value::Number(n)) | (Value::Number(n), Value::String(text)) => {
            is_canonical(text, n)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| values_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| values_equal(a, b)))
        }
        _ => left == right,
    }
}

fn numbers_equal(left: &Number, right: &Number) -> bool {
    match (Numeric::from_json(left), Numeric::from_json(right)) {
        (Some(a), Some(b)) => a.order(b) == Some(Ordering::Equal),
        _ => false,
    }
}

fn is_canonical(text: &str, number: &Number) -> bool {
    text.parse::<Number>()
        .is_ok_and(|parsed| parsed.to_string() == text && numbers_equal(&parsed, number))
}

fn numeric(operand: Operand<'_>) -> Option<Numeric> {
    match operand {
        Operand::Text(text) => Numeric::from_text(text),
        Operand::Json(Value::String(text)) => Numeric::from_text(text),
        Operand::Json(Value::Number(n)) => Numeric::from_json(n),
        Operand::Json(_) => None,
    }
}

impl Numeric {
    fn from_json(number: &Number) -> Option<Self> {
        let integer = number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
        integer.map(Self::Int).or(number.as_f64().map(Self::Float))
    }

    /// Decimal digits with sign, fraction and exponent; not the names of infinity and NaN, which
    /// Rust's own parser would take.
    fn from_text(text: &str) -> Option<Self> {
        let decimal = |c: u8| c.is_ascii_digit() || matches!(c, b'+' | b'-' | b'.' | b'e' | b'E');
        if !text.bytes().all(decimal) {
            return None;
        }
        text.parse().map(|n: i64| Self::Int(n.into())).or(text.parse().map(Self::Float)).ok()
    }

    fn order(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(&b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(&b),
            (Self::Int(a), Self::Float(b)) => int_to_float(a, b),
            (Self::Float(a), Self::Int(b)) => int_to_float(b, a).map(Ordering::reverse),
        }
    }
}

/// Exact even where the integer has no float of its own, such as 2^53 + 1.
fn int_to_float(int: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // The cast saturates far outside the 64-bit integers that occur here, so it cannot mislead.
    let by_whole = int.cmp(&(float.trunc() as i128));
    Some(by_whole.then_with(|| 0.0.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn eq(left: Value, right: Value) -> bool {
        let (left, right) = (Operand::Json(&left), Operand::Json(&right));
        let answer = equal(left, right);
        assert_eq!(answer, equal(right, left), "equality has no direction");
        answer
    }

    #[test]
    fn equality_is_structural() {
        assert!(eq(json!("a"), json!("a")));
        assert!(!eq(json!("a"), json!("A")));
        assert!(eq(json!([1, "x", [true]]), json!([1.0, "x", [true]])));
        assert!(!eq(json!([1, 2]), json!([2, 1])));
        assert!(!eq(json!([1]), json!([1, 1])));
        assert!(eq(json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1})));
        assert!(!eq(json!({"a": 1}), json!({"a": 1, "b": 2})));
        assert!(!eq(json!(true), json!("true")));
        assert!(!eq(json!(1), json!(true)));
    }

    #[test]
    fn numbers_equal_by_value_and_texts_by_canonical_form() {
        assert!(eq(json!(5), json!(5.0)));
        assert!(eq(json!(u64::MAX), json!(u64::MAX)));
        assert!(!eq(json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0)));
        assert!(eq(json!("5"), json!(5)));
        assert!(eq(json!("-1.5"), json!(-1.5)));
        for text in ["05", "+5", "5e0", " 5", "5 ", "", "five", "0x5"] {
            assert!(!eq(json!(text), json!(5)), "{text:?}");
        }
        assert!(equal(Operand::Text("5"), Operand::Json(&json!(5))));
        assert!(equal(Operand::Text("5"), Operand::Json(&json!("5"))));
        assert!(!equal(Operand::Text("5"), Operand::Json(&json!([5]))));
    }

    #[test]
    fn order_is_numeric_or_nothing() {
        let order = |a: Value, b: Value| order(Operand::Json(&a), Operand::Json(&b));
        assert_eq!(order(json!(2), json!(10)), Some(Ordering::Less));
        assert_eq!(order(json!("2"), json!("10")), Some(Ordering::Less));
        assert_eq!(order(json!(2.5), json!(2)), Some(Ordering::Greater));
        assert_eq!(order(json!(-2.5), json!(-2)), Some(Ordering::Less));
        assert_eq!(order(json!(2), json!("2.0")), Some(Ordering::Equal));
        assert_eq!(order(json!(u64::MAX), json!(1e300)), Some(Ordering::Less));
        assert_eq!(
            order(json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0)),
            Some(Ordering::Greater)
        );
        for no_number in
            [json!("x"), json!("nan"), json!("inf"), json!(""), json!(true), json!([1])]
        {
            assert_eq!(order(json!(1), no_number), None);
        }
    }
}
