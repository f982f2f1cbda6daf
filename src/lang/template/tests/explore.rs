//! scratch
use super::*;

#[test]
fn explore() {
    let s = args(
        json!({"n": 30.0, "i": 9007199254740993u64, "s": "a b/ü", "l": [1, "x", 2.0], "o": {"b": 1, "a": {"c": null}}, "t": true, "z": null, "list": [{"k": 1}, {"k": 2}]}),
    );
    for src in [
        "{{ args.n }}",
        "n={{ args.n }}",
        "{{ args.i }}",
        "i={{ args.i }}!",
        "{{ args.l }}",
        "l={{ args.l }}",
        "{{ args.o.a.c }}",
        "{{ args.q }}",
        "q{{ args.q }}",
        "{{ args.q.r.s }}",
        "{{ args.q or 5 }}",
        "{{ 'a' if args.t }}",
        "x{{ 'a' if args.q }}y",
        "{{ 'a' if args.q }}",
        "{{ args.n ~ 'px' }}",
        "{{ args.l ~ '' }}",
        "{{ args.l | join('-') }}",
        "{{ args.list | map(attribute='k') | sum }}",
        "{{ args.list | join(',', attribute='k') }}",
        "{% for x in args.list %}{{ loop.index }}:{{ x.k }}{{ ',' if not loop.last }}{% endfor %}",
        "{% for x in args.list if x.k > 1 %}{{ x.k }}{% else %}none{% endfor %}",
        "{% for k, v in args.o | items %}{{ k }}={{ v }};{% endfor %}",
        "{% if args.q %}a{% elif args.t %}b{% else %}c{% endif %}",
        "{% set x = args.n %}{{ x }} {{ x + 1 }}",
        "{% set x %}<{{ args.s }}>{% endset %}{{ x }}",
        "{% set x | upper %}<{{ args.s }}>{% endset %}{{ x }}",
        "{% filter upper %}a{{ args.n }}b{% endfilter %}",
        "{% with a = args.n, b = a %}{{ b }}{% endwith %}",
        "{% raw %}{{ x }}{% endraw %}",
        "a {# c #} b",
        "a  {{- args.n -}}  b",
        "{% raw %}{%{% endraw %}{{ args.n }}{",
        "{{ args.l[-1] }}",
        "{{ args.l[args.i - args.i] }}",
        "{{ args['s'][0] }}",
        "{{ args.q is defined }}",
        "{{ args.q | default('d') }}",
        "{{ args.q == 1 }}",
        "{{ args.q == none }}",
        "{{ 1 in args.l }}",
        "{{ 'z' not in args.l }}",
        "{{ args.l[1:] }}",
        "{{ (1, 2) }}",
        "{{ {'a': args.n, 1: 2} | tojson }}",
        "{{ args.o | tojson(indent=2) }}",
        "{{ 1 < 2 < 3 }}",
        "{{ -args.n }}",
        "{{ not args.t }}",
        "{{ args.s | urlencode }}",
        "{{ 'aGk=' | b64decode }}{{ args.s|b64encode }}",
        "{{ range(3) }}",
        "{{ range(5, 0, -2) }}",
        "{{ '{\"a\":[1]}' | fromjson }}",
        "{{ 10 / 4 }}",
        "{{ 10 / 5 }}",
        "x{{ 10 / 5 }}",
        "{{ 2 ** 200 }}",
        "{{ 2 ** 100 }}",
        "{{ 2**63 }}",
        "{{ args.l | select('string') | list }}",
        "{{ dict(args.o, z=1) }}",
        "{{ args.l|map('string')|list }}",
        "{{ '%05d'|format(7) }}",
        "{{ args.list | groupby('k') }}",
        "{{ args }}",
        "{{ args | length }}",
        "{{ 1.5e300 * 10 }}",
        "x{{ 1e21 }} {{ 1e-7 }} {{ -0.0 }}",
        "{{ loop }}",
        "{{ args.l | first }}",
        "{{ args.a ~ 'x' }}",
        "{{ args.q | upper }}",
        "{{ 1 / 0 }}",
        "{{ 'x' * 10**9 }}",
        "{{ range(10**9) }}",
        "{{ [0] * 10**9 }}",
        "{{ [0] * 10**8 }}",
        "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
        "{{ args.s + 1 }}",
        "{{ args.n.foo }}",
        "{{ args.x if args.t else args.y }} ",
        "{% for i in args.q %}{% endfor %}",
        "{% if args.q.r > 3 %}{% endif %}",
    ] {
        match Template::parse(src) {
            Err(e) => println!("{src:60} ERR {e:?}"),
            Ok(t) => println!(
                "{src:60} {:?}\n{:60} {:?}\n{:60} {:?}",
                t.value(&s)
                    .map(|v| v.map(|v| v.to_string()))
                    .map_err(|e| e.to_string()),
                "",
                t.text(&s).map_err(|e| e.to_string()),
                "",
                t.url(&s).map_err(|e| e.to_string())
            ),
        }
    }
    for src in [
        "{{ args.x",
        "{{ }}",
        "{{ a b }}",
        "{{ a + * b }}",
        "{% if x %}abc",
        "{% if x %}{% for a in b %}{% endif %}",
        "{% include 'x' %}",
        "{{ 'abc }}",
        "{# x",
        "{% foo %}",
        "{{ a | uper }}",
        "{{ a is defned }}",
        "{{ foo(1) }}",
        "{{ a.upper() }}",
        "{{ args.x. }}",
        "{{ é }}",
        "x {{ a $ }}",
        "{% set loop = 1 %}",
        "{% set a.b = 1 %}",
        "{% set x %}abc",
        "{{ 1 if }}",
        "{% for x in y recursive %}{% endfor %}",
        "{{ f(*a) }}",
        "{{ a | map(b) }}",
        "{% endfor %}",
        "}} {{ x }}",
        "{{ x }} }}",
    ] {
        println!("{src:40} {:?}", Template::parse(src).map(|_| ()));
    }
}

#[test]
fn timing() {
    let s = || args(json!({"query": "hello world", "page": 3, "list": [1,2,3]}));
    for src in [
        "{{ args.query }}",
        "https://x.org/{{ args.query }}?p={{ args.page }}",
        "{{ args.page + 1 }}",
        "q={{ args.query | upper }}&p={{ args.page or 1 }}",
        "{% if args.page %}p={{ args.page }}{% endif %}&q={{ args.query }}",
        "{% for i in args.list %}{{ i }},{% endfor %}",
    ] {
        let t0 = std::time::Instant::now();
        for _ in 0..2000 {
            let _ = Template::parse(src);
        }
        let parse = t0.elapsed() / 2000;
        let t = template(src);
        let sc = s();
        let t0 = std::time::Instant::now();
        for _ in 0..20000 {
            let _ = std::hint::black_box(t.text(&sc));
        }
        let text = t0.elapsed() / 20000;
        let t0 = std::time::Instant::now();
        for _ in 0..20000 {
            let _ = std::hint::black_box(t.url(&sc));
        }
        println!(
            "{src:60} parse {parse:?} text {text:?} url {:?}",
            t0.elapsed() / 20000
        );
    }
}
#[test]
fn memory() {
    let rss = || {
        std::fs::read_to_string("/proc/self/statm")
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse::<usize>()
            .unwrap()
            * 4096
    };
    for src in [
        "{{ args.query }}",
        "https://x.org/{{ args.query }}?p={{ args.page }}",
        "{{ args.page + 1 }}",
        "q={{ args.query | upper }}&p={{ args.page or 1 }}",
        "{% if args.page %}p={{ args.page }}{% endif %}&q={{ args.query }}",
    ] {
        let before = rss();
        let all: Vec<_> = (0..20000).map(|_| template(src)).collect();
        println!("{src:60} {} bytes", (rss() - before) / all.len());
        std::mem::forget(all);
    }
    println!(
        "{} {}",
        std::mem::size_of::<crate::lang::template::form::Form>(),
        std::mem::size_of::<minijinja::Environment>()
    );
}
#[test]
fn deep() {
    for (open, mid, close, n) in [
        ("(", "1", ")", 60),
        ("(", "1", ")", 20000),
        ("[", "1", "]", 60),
        ("not ", "1", "", 90),
        ("not ", "1", "", 20000),
        ("-", "1", "", 90),
        ("-", "1", "", 20000),
        ("1 ~ ", "1", "", 90),
        ("1 + ", "1", "", 20000),
        ("", "a", ".b", 90),
        ("", "a", ".b", 20000),
        ("", "a", "|upper", 90),
        ("", "a", "|upper", 9000),
        ("", "a", "[0]", 90),
        ("", "a", "()", 90),
        ("1 if 2 else ", "3", "", 40),
        ("1 if 2 else ", "3", "", 5000),
        ("a[", "1", "]", 60),
        ("range(", "1", ")", 60),
        ("a or (b and ", "1", ")", 40),
        ("{1:", "1", "}", 60),
        ("a == 1 ~ 2 + (3 * 4 ** ", "1", ")", 10),
        ("a == 1 ~ 2 + (3 * 4 ** ", "1", ")", 20),
        ("1,", "1", "", 10000),
        ("", "a", " is defined", 90),
    ] {
        let src = format!("{{{{ {}{}{} }}}}", open.repeat(n), mid, close.repeat(n));
        let r = Template::parse(&src);
        println!(
            "{open}{mid}{close} {n} {:?}",
            r.as_ref()
                .map(|t| t
                    .text(&Scope::new())
                    .map_err(|e| e.to_string().chars().take(300).collect::<String>())
                    .is_ok())
                .map_err(|e| (e[0].message.clone(), e[0].range.clone()))
        );
    }
    for (open, close, n) in [
        ("{% if a %}", "{% endif %}", 90),
        ("{% if a %}", "{% endif %}", 1000),
        ("{% if a %}{% elif b %}", "{% endif %}", 40),
        ("{% for x in [1] %}", "{% endfor %}", 90),
        ("{% with x = 1 %}", "{% endwith %}", 90),
        ("{% set x %}", "{% endset %}", 90),
        ("{% set x %}", "{% endset %}", 2000),
        ("{% filter upper %}", "{% endfilter %}", 90),
    ] {
        let src = format!("{}x{}", open.repeat(n), close.repeat(n));
        let r = Template::parse(&src);
        println!(
            "{open} {n} {:?}",
            r.as_ref()
                .map(|t| t.text(&Scope::new()).map_err(|e| e.to_string()))
                .map_err(|e| (e[0].message.clone(), e[0].range.clone()))
        );
    }
    let src = format!("{{% if a %}}{}{{% endif %}}", "{% elif b %}".repeat(90));
    println!(
        "elif {:?}",
        Template::parse(&src)
            .map(|t| t.text(&Scope::new()).map_err(|e| e.to_string()))
            .map_err(|e| e[0].message.clone())
    );
    let src = format!("{{% if a %}}{}{{% endif %}}", "{% elif b %}".repeat(4000));
    println!(
        "elif {:?}",
        Template::parse(&src)
            .map(|t| t.text(&Scope::new()).map_err(|e| e.to_string()))
            .map_err(|e| e[0].message.clone())
    );
    for body in [
        "{% set a = [a] %}",
        "{% set a = [a, a] %}",
        "{% set a = a | batch(1) %}",
        "{% set a = a[1:] %}",
        "{% set a = a + a %}",
        "{% set a = a ~ a %}",
        "{% set a = a|upper %}",
    ] {
        for n in [20, 3000] {
            let src = format!("{{% set a = [1] %}}{}{{{{ a }}}}", body.repeat(n));
            println!(
                "{body} {n} {:?}",
                Template::parse(&src)
                    .map(|t| t
                        .text(&Scope::new())
                        .map(|t| t.map(|t| t.len()))
                        .map_err(|e| e.to_string()))
                    .map_err(|e| e[0].message.clone())
            );
        }
    }
}
