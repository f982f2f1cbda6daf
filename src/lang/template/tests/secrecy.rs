//! No error shows a value.

use serde_json::json;

use super::super::Scope;
use super::template;

#[test]
fn errors_hold_no_values() {
    let scope = Scope::new().with(
        "secrets",
        json!({
            "text": "hunter2-s3cret", "number": 86_753_095, "float": 8675.3095,
            "list": ["hunter2-s3cret"], "map": { "hunter2-s3cret": "hunter2-s3cret" },
            "huge": "hunter2-s3cret".repeat(100_000),
        }),
    );
    let mut failed = 0;
    for name in ["text", "number", "float", "list", "map", "huge"] {
        let v = format!("secrets.{name}");
        for source in [
            format!("{{{{ {v} + [] }}}}"),
            format!("{{{{ {v} - 'a' }}}}"),
            format!("{{{{ {v} / 0 }}}}"),
            format!("{{{{ {v} ** 999999 }}}}"),
            format!("{{{{ {v} % 0 }}}}"),
            format!("{{{{ -{v} }}}}"),
            format!("{{{{ {v} * 10 ** 30 }}}}"),
            format!("{{{{ {v} | int }}}}"),
            format!("{{{{ {v} | float }}}}"),
            format!("{{{{ {v} | fromjson }}}}"),
            format!("{{{{ {v} | b64decode }}}}"),
            format!("{{{{ {v} | abs }}}}"),
            format!("{{{{ {v} | round }}}}"),
            format!("{{{{ {v} | sum }}}}"),
            format!("{{{{ {v} | length }}}}"),
            format!("{{{{ {v} | dictsort(by={v}) }}}}"),
            format!("{{{{ {v} | batch({v}) }}}}"),
            format!("{{{{ {v} | items }}}}"),
            format!("{{{{ [1] | sort(attribute={v}) }}}}"),
            format!("{{{{ [1] | map(attribute={v}) }}}}"),
            format!("{{{{ [1] | groupby({v}) }}}}"),
            format!("{{{{ '%d' | format({v}) }}}}"),
            format!("{{{{ {v} | format(1) }}}}"),
            format!("{{{{ range({v}) }}}}"),
            format!("{{{{ dict({v}) }}}}"),
            format!("{{{{ 1 in {v} }}}}"),
            format!("{{{{ {v} < [] }}}}"),
            format!("{{{{ {v} is divisibleby(0) }}}}"),
            format!("{{{{ {v}[::0] }}}}"),
            format!("{{{{ {{{v}: 1}}[{v}].x.y ~ 1 }}}}"),
            format!("{{% for a, b in {v} %}}{{% endfor %}}"),
            format!("{{% for a in {v} %}}{{{{ a.x ~ 1 }}}}{{% endfor %}}"),
            format!("{{{{ {v} * 10 ** 9 }}}}"),
            format!("/../{{{{ {v} }}}}"),
            format!("/{{{{ {v} ~ ' ' | raw }}}}"),
            format!("{{{{ {v} }}}} {{{{ secrets.missing }}}}"),
        ] {
            let template = template(&source);
            for error in [
                template.value(&scope).err(),
                template.text(&scope).err(),
                template.url(&scope).err(),
            ]
            .into_iter()
            .flatten()
            {
                failed += 1;
                let shown = format!("{error} {error:?}");
                for value in ["hunter2", "s3cret", "8675"] {
                    assert!(!shown.contains(value), "{source}: {shown}");
                }
            }
        }
    }
    assert!(failed > 200, "only {failed} failed: the test tests little");
}
