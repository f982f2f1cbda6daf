//! What the codes of finding and reading manifests mean, for `snodo check --explain`.

use super::{
    BROKEN_LINK, FILE_TOO_LARGE, FOLDER_TOO_DEEP, NO_MANIFESTS, NOT_A_FILE, NOT_UTF8,
    PATH_NOT_FOUND, TOO_MANY_FILES, UNREADABLE_FILE, UNREADABLE_FOLDER, UNUSED_SERVER_FILE,
    VANISHED_FILE,
};
use crate::lang::diag::Code;

/// Each code with what it means, an example, and what to do.
pub const EXPLAIN: &[(Code, &str)] = &[
    (
        PATH_NOT_FOUND,
        "A path that was named does not exist. \
         It was given on the command line or under `manifests` in the server file, where a relative \
         path starts from that file's folder.\n\n\
         Example: `snodo check manifets` when the folder is called `manifests`.\n\n\
         Correct the path, or make the folder.",
    ),
    (
        UNREADABLE_FOLDER,
        "A folder cannot be listed, so the manifests in it, if any, are not served. \
         The message says why; most often the folder belongs to another user.\n\n\
         Example: a daemon that runs as `snodo` and a folder with mode 0700 owned by root.\n\n\
         Give the user that runs snodo the right to read and to enter the folder \
         (`chmod o+rx`, or a group), or rename it to begin with `_`, which keeps snodo out.",
    ),
    (
        UNREADABLE_FILE,
        "A manifest is there and cannot be read. \
         The message says why; most often the file belongs to another user.\n\n\
         Example: `orders.toml` with mode 0600 owned by root, and a daemon that runs as `snodo`.\n\n\
         Give the user that runs snodo the right to read the file, or rename it to begin with `_`, \
         which makes snodo pass it over.",
    ),
    (
        NOT_A_FILE,
        "What was named as a manifest is neither a regular file nor a folder. \
         A FIFO, a socket or a device could make the server wait for ever, so none is read.\n\n\
         Example: `snodo check <(generate)` names a pipe.\n\n\
         Write the text to a file and name that.",
    ),
    (
        BROKEN_LINK,
        "A symbolic link has the name of a manifest and leads to no file. \
         The rest is served; what the link stood for is not.\n\n\
         Example: `orders.toml -> /srv/shared/orders.toml` after the target was moved, or two links \
         that lead to each other.\n\n\
         Point the link at the file, or remove it.",
    ),
    (
        NO_MANIFESTS,
        "A folder that was named holds no manifest, neither itself nor in the folders below. \
         A manifest is a file whose name ends in `.toml` and does not begin with `.` or `_`; folders \
         whose names begin so are not searched.\n\n\
         Example: a folder with only `_draft.toml` and `tools.toml.bak` in it.\n\n\
         Name the right folder, or rename the files. A server that watches the folder takes up \
         manifests as they appear.",
    ),
    (
        UNUSED_SERVER_FILE,
        "A folder of manifests holds a file `snodo.toml`, which is the server file's name, and the \
         server does not use it. It is never read as a manifest.\n\n\
         Example: `snodo serve .` in a folder with a `snodo.toml`: where folders are named on the \
         command line, no server file is looked for.\n\n\
         Name it with `--config`, or start snodo without naming folders. Give the file another name \
         if it is a manifest.",
    ),
    (
        FOLDER_TOO_DEEP,
        "Folders lie inside one another deeper than snodo searches (32 below one that was named). \
         What lies deeper is not served.\n\n\
         Example: a tree unpacked into itself by mistake.\n\n\
         Name a folder further down, or make the tree flatter.",
    ),
    (
        TOO_MANY_FILES,
        "The search for manifests was given up, because there are more files than any set of \
         manifests has (100,000 manifests, or 1,000,000 entries of folders in all).\n\n\
         Example: `snodo serve /`.\n\n\
         Name the folder that holds the manifests, not one above it.",
    ),
    (
        FILE_TOO_LARGE,
        "A manifest is larger than 16 MiB. \
         A file of that size was hardly written as a manifest.\n\n\
         Example: a data dump that was saved as `orders.toml`.\n\n\
         Split the manifest, and keep large texts in files of their own: `result` and the `file` \
         action name them. Rename a file that is none to something other than `.toml`.",
    ),
    (
        NOT_UTF8,
        "A manifest's bytes are not UTF-8, which TOML requires. \
         The place is the first byte that cannot stand where it stands.\n\n\
         Example: an editor saved `name = 'café'` as Latin-1 or as UTF-16.\n\n\
         Save the file as UTF-8. `iconv -f latin1 -t utf-8 FILE` converts one.",
    ),
    (
        VANISHED_FILE,
        "A manifest was there when the folder was listed and was gone when it was to be read. \
         An editor that deletes a file and creates it anew does that for a moment.\n\n\
         Example: a deployment that replaces the folder's files while snodo loads them.\n\n\
         Nothing needs mending: the reload that follows the change reads the folder again. For a \
         one-time check, run it again when the folder is at rest.",
    ),
];
