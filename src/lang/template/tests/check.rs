//! Rule 3, checked when loaded: undeclared names.

use super::super::{Declared, Key, Names, Template, TemplateError, TemplateErrorKind as Kind};
use super::template;

fn names() -> Names {
    let customer = Declared::names(["email", "name"]);
    Names::new()
        .with(
            "args",
            Declared::fields([
                ("query", Declared::Open),
                ("page", Declared::names::<String>([])),
                ("customer", customer),
                ("two words", Declared::Open),
                ("lines", Declared::Open),
            ]),
        )
        .with("output", Declared::Open)
        .with_members(
            "secrets",
            Declared::names(["token"]),
            "declare it in `[secrets]`",
        )
        .with_members(
            "env",
            Declared::names::<String>([]),
            "list it in `server.env`",
        )
}

fn check(source: &str) -> Vec<TemplateError> {
    Template::parse_used(source).unwrap().1.check(&names())
}

#[test]
fn declared_names_are_fine() {
    for source in [
        "plain",
        "{{ args.query }}",
        "{{ args['query'] }} {{ args[\"two words\"] }}",
        "{{ args }} {{ args | length }} {{ args[args.query] }}",
        "{{ args.customer.email or args.customer.name }}",
        "{{ args.lines[0].sku }} {{ args.lines[0]['any'] }}",
        "{{ output.anything.at.all[0] }} {{ output }}",
        "{{ secrets.token }} {{ secrets['token'] }}",
        "{% for line in args.lines %}{{ line.sku }}{{ loop.index }}{% endfor %}",
        "{% set x = args.query %}{{ x.y }}",
        "{% set x %}{{ args.query }}{% endset %}{{ x }}",
        "{% with a = 1, b = a %}{{ b }}{% endwith %}",
        "{% for a, (b, c) in output.x %}{{ a }}{{ b }}{{ c }}{% endfor %}",
        "{{ args.query is defined }} {{ args.page | default(1) }}",
        "{% if args.query %}{% set y = 1 %}{% endif %}{{ y }}",
        "{{ args.query[0] }}",
        "{{ dict(a=1).a }}",
        "{{ output.x | map(attribute='any') }}",
    ] {
        assert_eq!(check(source), [], "{source}");
    }
}

#[test]
fn undeclared_names_are_errors_at_the_name() {
    for (source, place, message, help) in [
        (
            "{{ args.qurey }}",
            "qurey",
            "unknown name `args.qurey`",
            Some("did you mean `args.query`?"),
        ),
        (
            "x {{ args . qurey | upper }}",
            "qurey",
            "unknown name `args.qurey`",
            Some("did you mean `args.query`?"),
        ),
        (
            "{{ args['qurey'] }}",
            "'qurey'",
            "unknown name `args.qurey`",
            Some("did you mean `args.query`?"),
        ),
        (
            "{{ args['two wrods'] }}",
            "'two wrods'",
            "unknown name `args[\"two wrods\"]`",
            Some("did you mean `args[\"two words\"]`?"),
        ),
        (
            "{{ args.customer.emial }}",
            "emial",
            "unknown name `args.customer.emial`",
            Some("did you mean `args.customer.email`?"),
        ),
        (
            "{{ args.customer.zzzzzz }}",
            "zzzzzz",
            "unknown name `args.customer.zzzzzz`",
            Some("`args.customer` has `email`, `name`"),
        ),
        (
            "{{ args.page.x }}",
            "x",
            "unknown name `args.page.x`",
            Some("`args.page` has no names below it"),
        ),
        (
            "{{ arg.query }}",
            "arg",
            "unknown name `arg`",
            Some("did you mean `args`?"),
        ),
        (
            "{{ nonsense }}",
            "nonsense",
            "unknown name `nonsense`",
            Some("the names here are `args`, `env`, `output`, `secrets`"),
        ),
        (
            "{{ secrets.tokn }}",
            "tokn",
            "unknown name `secrets.tokn`",
            Some("did you mean `secrets.token`?"),
        ),
        (
            "{{ secrets.password }}",
            "password",
            "unknown name `secrets.password`",
            Some("declare it in `[secrets]`"),
        ),
        (
            "{{ env.REGION }}",
            "REGION",
            "unknown name `env.REGION`",
            Some("list it in `server.env`"),
        ),
        (
            "{% if args.query %}{{ args.pge }}{% endif %}",
            "pge",
            "unknown name `args.pge`",
            Some("did you mean `args.page`?"),
        ),
        (
            "{% for x in args.lnes %}{% endfor %}",
            "lnes",
            "unknown name `args.lnes`",
            Some("did you mean `args.lines`?"),
        ),
        (
            "{% for x in args.lines %}{% endfor %}{{ x }}",
            "x",
            "unknown name `x`",
            Some("the names here are `args`, `env`, `output`, `secrets`"),
        ),
        (
            "{% for x in args.lines if args.qury %}{% endfor %}",
            "qury",
            "unknown name `args.qury`",
            Some("did you mean `args.query`?"),
        ),
        (
            "{% set x = x %}",
            "x",
            "unknown name `x`",
            Some("the names here are `args`, `env`, `output`, `secrets`"),
        ),
        (
            "{{ loop.index }}",
            "loop",
            "unknown name `loop`",
            Some("the names here are `args`, `env`, `output`, `secrets`"),
        ),
        (
            "{{ output[args.pag] }}",
            "pag",
            "unknown name `args.pag`",
            Some("did you mean `args.page`?"),
        ),
        (
            "{{ output.x[1:args.pag] }}",
            "pag",
            "unknown name `args.pag`",
            Some("did you mean `args.page`?"),
        ),
        (
            "{{ output.x | default(args.pag) }}",
            "pag",
            "unknown name `args.pag`",
            Some("did you mean `args.page`?"),
        ),
        (
            "{{ output.x is eq(args.pag) }}",
            "pag",
            "unknown name `args.pag`",
            Some("did you mean `args.page`?"),
        ),
        (
            "{% filter replace('a', args.pag) %}{% endfilter %}",
            "pag",
            "unknown name `args.pag`",
            Some("did you mean `args.page`?"),
        ),
        (
            "{{ range }}",
            "range",
            "unknown name `range`",
            Some("the names here are `args`, `env`, `output`, `secrets`"),
        ),
    ] {
        let errors = check(source);
        assert_eq!(errors.len(), 1, "{source}: {errors:?}");
        assert_eq!(errors[0].kind, Kind::UnknownName, "{source}");
        assert_eq!(&source[errors[0].range.clone()], place, "{source}");
        assert_eq!(errors[0].message, message, "{source}");
        assert_eq!(errors[0].help.as_deref(), help, "{source}");
    }
}

#[test]
fn the_place_is_right_behind_other_words_of_the_same_name() {
    let source = "qurey {{ args.query }} qurey {{ args.qurey }}";
    assert_eq!(check(source)[0].range, 37..42);
}

#[test]
fn secrets_are_used_by_a_written_name_only() {
    for source in [
        "{{ secrets }}",
        "{{ secrets | tojson }}",
        "{{ secrets[args.query] }}",
        "{{ secrets[0] }}",
        "{% for s in secrets %}{% endfor %}",
        "{% set s = secrets %}",
    ] {
        let errors = check(source);
        assert_eq!(errors.len(), 1, "{source}: {errors:?}");
        assert_eq!(errors[0].kind, Kind::Misuse, "{source}");
        assert_eq!(
            errors[0].message,
            "`secrets` can only be used by a written name"
        );
        assert_eq!(errors[0].help.as_deref(), Some("write `secrets.NAME`"));
        assert_eq!(&source[errors[0].range.clone()], "secrets", "{source}");
    }
}

#[test]
fn a_root_name_cannot_be_set() {
    for source in [
        "{% set args = {'qurey': 1} %}{{ args.qurey }}",
        "{% for args in output.x %}{{ args.qurey }}{% endfor %}",
        "{% with args = 1 %}{{ args.qurey }}{% endwith %}",
        "{% set args %}x{% endset %}",
    ] {
        let errors = check(source);
        assert_eq!(errors.len(), 1, "{source}: {errors:?}");
        assert_eq!(errors[0].kind, Kind::Misuse);
        assert_eq!(errors[0].message, "`args` cannot be set: it is taken");
        assert_eq!(&source[errors[0].range.clone()], "args", "{source}");
    }
}

#[test]
fn all_undeclared_names_are_reported_in_order() {
    let source = "{% if nope %}{{ args.zzz }}{% endif %}{% set env = 1 %}{{ secrets.zzz }}";
    let places: Vec<_> = check(source)
        .into_iter()
        .map(|error| source[error.range].to_owned())
        .collect();
    assert_eq!(places, ["nope", "zzz", "env", "zzz"]);
}

#[test]
fn references_are_what_is_used() {
    let source = "Bearer {{ secrets.token }}{% for l in args.lines[args.n].x %}{{ l.y ~ output }}{% endfor %}";
    let template = template(source);
    let references: Vec<_> = template
        .references()
        .into_iter()
        .map(|reference| (source[reference.range.clone()].to_owned(), reference))
        .collect();
    let texts: Vec<_> = references.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts, ["secrets.token", "args.lines", "args.n", "output"]);
    assert_eq!(references[0].1.root, "secrets");
    assert_eq!(references[0].1.member(), Some("token"));
    assert_eq!(references[0].1.to_string(), "secrets.token");
    assert_eq!(references[1].1.keys, [Key::Name("lines".into())]);
    assert_eq!(references[3].1.member(), None);
    assert!(template.uses("secrets") && !template.uses("env") && !template.uses("l"));
    assert!(super::template("plain").references().is_empty());
    let source = "{{ args.lines[-1]['sku'] }} {{ args[1][-args.n] }}";
    let references = super::template(source).references();
    let shown: Vec<_> = references.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["args.lines[-1].sku", "args[1]", "args.n"]);
}

#[test]
fn names_are_checked_where_other_words_are_wrong() {
    let check = |source: &str| {
        let errors = Template::check_source(source, &names());
        errors
            .into_iter()
            .map(|error| error.message)
            .collect::<Vec<_>>()
    };
    let wrong = "{{ args.qurey | uper }} {{ args.query }}";
    assert_eq!(check(wrong), ["unknown name `args.qurey`"]);
    // Of what is no template nothing is said.
    assert_eq!(check("{{ args.qurey"), [""; 0]);
    assert_eq!(
        check(&format!("{{{{ nope }}}}{}", " ".repeat(1 << 16))),
        [""; 0]
    );
    assert_eq!(check("args.qurey"), [""; 0]);
}

#[test]
fn a_help_names_what_is_near_or_the_names_where_they_are_few() {
    let help = |names: &Names, word: &str| {
        let source = format!("{{{{ {word} }}}}");
        let (_, used) = Template::parse_used(&source).unwrap();
        used.check(names).remove(0).help
    };
    let many = |count: usize| {
        let roots = (0..count).map(|root| format!("root{root}"));
        roots.fold(Names::new(), |names, root| names.with(root, Declared::Open))
    };
    let all =
        "the names here are `root0`, `root1`, `root2`, `root3`, `root4`, `root5`, `root6`, `root7`";
    assert_eq!(help(&many(8), "zzzzzzzz").as_deref(), Some(all));
    assert_eq!(help(&many(9), "zzzzzzzz"), None);
    assert_eq!(help(&many(0), "zzzzzzzz"), None);
    // A word is compared as long as it has 64 letters or fewer.
    for (length, is_near) in [(64, true), (65, false)] {
        let known = "x".repeat(length);
        let names = many(9).with(known.clone(), Declared::Open);
        let found = help(&names, &format!("{}y", &known[1..]));
        assert_eq!(found, is_near.then(|| format!("did you mean `{known}`?")));
    } // A candidate may have more bytes than a word may have letters.
    let known = "é".repeat(60);
    let names = Names::new().with("args", Declared::names([known.clone()]));
    let found = help(&names, &format!("args['{}e']", &known[2..]));
    assert_eq!(found, Some(format!("did you mean `args[\"{known}\"]`?")));
}
