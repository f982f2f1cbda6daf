//! Real folders, one a test.

use super::*;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

struct Tree(TempDir);

impl Tree {
    /// Files by path, each made with its folders.
    fn of(files: &[&str]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for file in files {
            let path = tree.path(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn link(&self, name: &str, target: &str) {
        symlink(target, self.path(name)).unwrap();
    }

    /// What is found below these paths of the tree: names, and codes with messages.
    fn find(&self, names: &[&str]) -> (Vec<String>, Vec<String>) {
        let limits = Limits {
            depth: 3,
            files: 5,
            entries: 50,
        };
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        let survey = discover_within(&paths, None, limits);
        let (found, problems) = (survey.found, survey.diagnostics);
        let top = format!("{}/", self.0.path().display());
        let found = found
            .iter()
            .map(|one| one.path.display().to_string().replace(&top, ""));
        let problems = problems
            .iter()
            .map(|one| format!("{}: {}", one.code.0, one.message.replace(&top, "")));
        (found.collect(), problems.collect())
    }

    fn files(&self, names: &[&str]) -> Vec<String> {
        let (found, problems) = self.find(names);
        assert_eq!(problems, [""; 0]);
        found
    }
}

#[test]
fn by_name_folder_by_folder() {
    let tree = Tree::of(&[
        "m/b.toml",
        "m/a-b.toml",
        "m/a/z.toml",
        "m/B.toml",
        "m/a.toml",
    ]);
    let order = [
        "m/B.toml",
        "m/a/z.toml",
        "m/a-b.toml",
        "m/a.toml",
        "m/b.toml",
    ];
    assert_eq!(tree.files(&["m"]), order);
}

#[test]
fn paths_are_shown_as_named() {
    let tree = Tree::of(&["m/sub/x.toml"]);
    let dotted = tree.path("m/../m/.");
    let found = discover(std::slice::from_ref(&dotted), None).found;
    let expected = Found {
        path: dotted.join("sub/x.toml"),
        root: dotted,
    };
    assert_eq!(found, [expected]);
}

#[test]
fn where_it_looked() {
    let tree = Tree::of(&["m/a/x.toml", "m/_b/y.toml", "far/z.toml"]);
    tree.link("m/c", "../far");
    tree.link("m/gone.toml", "nowhere");
    tree.link("m/..data", "_b");
    let survey = discover(&[tree.path("m")], None);
    let paths = |names: &[&str]| names.iter().map(|name| tree.path(name)).collect::<Vec<_>>();
    assert_eq!(survey.folders, paths(&["m", "m/a", "m/c"]));
    assert_eq!(survey.links, paths(&["m/c", "m/gone.toml"]));
    assert!(!survey.unsettled);
}

#[test]
fn litter_is_passed_over() {
    let tree = Tree::of(&[
        "m/x.toml",
        "m/.x.toml",
        "m/_x.toml",
        "m/x.toml~",
        "m/#x.toml#",
        "m/.#x.toml",
        "m/x.toml.swp",
        "m/.x.toml.swp",
        "m/x.toml.bak",
        "m/x.TOML",
        "m/toml",
        "m/.toml",
        "m/README.md",
        "m/.git/y.toml",
        "m/_old/y.toml",
        "m/4913",
    ]);
    assert_eq!(tree.files(&["m"]), ["m/x.toml"]);
}

#[test]
fn what_is_named_is_taken_whatever_its_name() {
    let tree = Tree::of(&["_drafts/x.toml", ".hidden.toml", "tools.conf"]);
    let named = ["tools.conf", ".hidden.toml", "_drafts"];
    assert_eq!(
        tree.files(&named),
        ["tools.conf", ".hidden.toml", "_drafts/x.toml"]
    );
}

#[test]
fn a_config_map_mount() {
    let tree = Tree::of(&["m/..2024_05_01/x.toml"]);
    tree.link("m/..data", "..2024_05_01");
    tree.link("m/x.toml", "..data/x.toml");
    assert_eq!(tree.files(&["m"]), ["m/x.toml"]);
}

#[test]
fn links_to_folders_are_followed_and_loops_end() {
    let tree = Tree::of(&["m/x.toml", "other/y.toml", "other/sub/z.toml"]);
    tree.link("m/l", "../other");
    tree.link("m/self", ".");
    tree.link("other/sub/up", "../../m");
    assert_eq!(
        tree.files(&["m"]),
        ["m/l/sub/z.toml", "m/l/y.toml", "m/x.toml"]
    );
}

#[test]
fn a_file_reached_twice_comes_once() {
    let tree = Tree::of(&["m/x.toml"]);
    tree.link("m/a.toml", "x.toml");
    fs::hard_link(tree.path("m/x.toml"), tree.path("m/z.toml")).unwrap();
    assert_eq!(tree.files(&["m", "m/x.toml", "m"]), ["m/a.toml"]);
    assert_eq!(tree.files(&["m/x.toml", "m"]), ["m/x.toml"]);
    tree.link("same", "m");
    assert_eq!(tree.files(&["m", "same"]), ["m/a.toml"]);
}

#[test]
fn fifos_sockets_and_folders_that_look_like_manifests() {
    let tree = Tree::of(&["m/dir.toml/x.toml"]);
    let kind = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let fifo = tree.path("m/pipe.toml");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, kind, mode, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(tree.path("m/s.toml")).unwrap();
    tree.link("m/null.toml", "/dev/null");
    assert_eq!(tree.files(&["m"]), ["m/dir.toml/x.toml"]);
    let (found, problems) = tree.find(&["m/pipe.toml"]);
    assert!(found.is_empty());
    assert_eq!(
        problems,
        ["not-a-file: `m/pipe.toml` is neither a file nor a folder"]
    );
}

#[test]
fn broken_links_are_said_when_they_look_like_manifests() {
    let tree = Tree::of(&["m/x.toml"]);
    tree.link("m/gone.toml", "nowhere");
    tree.link("m/loop.toml", "loop.toml");
    tree.link("m/gone", "nowhere");
    tree.link("m/.#x.toml", "user@host.1234");
    let (found, problems) = tree.find(&["m"]);
    assert_eq!(found, ["m/x.toml"]);
    let expected = [
        "broken-link: the link `m/gone.toml` leads to no file",
        "broken-link: the link `m/loop.toml` leads to no file",
    ];
    assert_eq!(problems, expected);
}

#[test]
fn paths_that_do_not_exist_and_the_rest_is_found() {
    let tree = Tree::of(&["m/x.toml"]);
    let (found, problems) = tree.find(&["nowhere", "m", "m/x.toml/y"]);
    assert_eq!(found, ["m/x.toml"]);
    assert_eq!(problems[0], "path-not-found: `nowhere` does not exist");
    assert!(problems[1].starts_with("unreadable-file: cannot read `m/x.toml/y`: not a directory"));
    assert_eq!(problems.len(), 2);
}

#[test]
fn an_empty_folder_is_said() {
    let tree = Tree::of(&["m/_x.toml", "m/sub/y.txt"]);
    let (found, problems) = tree.find(&["m"]);
    assert!(found.is_empty());
    assert_eq!(problems, ["no-manifests: there is no manifest in `m`"]);
}

#[test]
fn an_unreadable_folder_does_not_hide_the_rest() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::of(&["m/a/x.toml", "m/b/y.toml"]);
    let closed = tree.path("m/a");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let (found, problems) = tree.find(&["m"]);
    if rustix::process::geteuid().is_root() {
        assert_eq!(found, ["m/a/x.toml", "m/b/y.toml"]);
    } else {
        assert_eq!(found, ["m/b/y.toml"]);
        let expected = "unreadable-folder: cannot list the folder `m/a`: permission denied";
        assert_eq!(problems, [expected]);
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn too_deep() {
    let tree = Tree::of(&["m/1/2/3/x.toml", "m/1/2/3/4/y.toml"]);
    let (found, problems) = tree.find(&["m"]);
    assert_eq!(found, ["m/1/2/3/x.toml"]);
    assert_eq!(
        problems,
        ["folder-too-deep: `m/1/2/3/4` lies more than 3 folders deep"]
    );
}

#[test]
fn too_many_manifests() {
    let five = ["m/1.toml", "m/2.toml", "m/3.toml", "m/4.toml", "m/5.toml"];
    let tree = Tree::of(&five);
    assert_eq!(tree.files(&["m"]), five);
    fs::write(tree.path("m/6.toml"), "").unwrap();
    fs::write(tree.path("m/7.toml"), "").unwrap();
    let (found, problems) = tree.find(&["m", "m/7.toml"]);
    assert_eq!(found, five);
    let below = tree.path("m");
    let expected = format!(
        "too-many-files: more than 5 manifests below `{}`",
        below.display()
    );
    let expected = expected.replace(&format!("{}/", tree.0.path().display()), "");
    assert_eq!(problems, [expected]);
}

#[test]
fn too_many_entries() {
    let tree = Tree::of(&["m/x.toml"]);
    for number in 0..60 {
        fs::write(tree.path(&format!("m/{number}.txt")), "").unwrap();
    }
    let (_, problems) = tree.find(&["m"]);
    assert_eq!(
        problems,
        ["too-many-files: more than 50 files and folders below `m`"]
    );
}

#[test]
fn names_that_are_not_utf8() {
    let tree = Tree::of(&["m/x.toml"]);
    let name = std::ffi::OsStr::from_bytes(b"a\xff.toml");
    fs::write(tree.path("m").join(name), "").unwrap();
    assert_eq!(tree.files(&["m"]), ["m/a\u{FFFD}.toml", "m/x.toml"]);
}

#[test]
fn every_code_is_explained_once() {
    let codes: HashSet<&str> = EXPLAIN.iter().map(|(code, _)| code.0).collect();
    assert_eq!(codes.len(), EXPLAIN.len());
    for (code, text) in EXPLAIN {
        assert!(text.contains("Example:"), "{}", code.0);
        assert!(text.contains("\n\n"), "{}", code.0);
    }
}
