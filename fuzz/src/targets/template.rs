//! Templates: any text is refused or parsed; what was parsed renders or says why not, the same each
//! time.
//!
//! The input is JSON for `args`, a line feed, and a template.

use snodo::lang::template::{Declared, Names, Scope, Template};

pub fn run(input: &str) {
    let (args, source) = input.split_once('\n').unwrap_or(("{}", input));
    let Ok((template, used)) = Template::parse_used(source) else {
        return;
    };
    let names = Names::new().with("args", Declared::names(["a", "b"]));
    for error in used.check(&names) {
        let range = error.range.clone();
        assert!(source.get(range).is_some(), "{error:?} is out of the text");
    }
    let Ok(args) = serde_json::from_str::<serde_json::Value>(args) else {
        return;
    };
    let scope = Scope::new().with("args", args);
    let (value, text) = (template.value(&scope), template.text(&scope));
    assert_eq!(
        format!("{value:?}"),
        format!("{:?}", template.value(&scope))
    );
    assert_eq!(format!("{text:?}"), format!("{:?}", template.text(&scope)));
    if let Some(literal) = template.literal() {
        assert_eq!(text.ok().flatten().as_deref(), Some(literal));
    }
}
