//! Whether stderr is systemd's journal.

use rustix::fs::fstat;
use std::os::fd::AsFd;

/// Whether `stream`, the value of the environment's `JOURNAL_STREAM`, describes the process's
/// stderr: `DEVICE:INODE`, as systemd.exec(5) has it. The variable alone says little, because a
/// child that has its stderr elsewhere inherits it too.
pub fn is_journal(stream: Option<&str>) -> bool {
    stream.is_some_and(|stream| describes(stream, std::io::stderr()))
}

fn describes(stream: &str, fd: impl AsFd) -> bool {
    let Some((device, inode)) = stream.split_once(':') else {
        return false;
    };
    let (Ok(device), Ok(inode)) = (device.parse::<u64>(), inode.parse::<u64>()) else {
        return false;
    };
    fstat(fd).is_ok_and(|stat| (stat.st_dev, stat.st_ino) == (device, inode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn device_and_inode_must_both_be_right() {
        let file = tempfile::tempfile().unwrap();
        let metadata = file.metadata().unwrap();
        let (device, inode) = (metadata.dev(), metadata.ino());
        assert!(describes(&format!("{device}:{inode}"), &file));
        assert!(!describes(&format!("{device}:{}", inode + 1), &file));
        assert!(!describes(&format!("{}:{inode}", device + 1), &file));
        for odd in ["", ":", "1", "a:b", "1:2:3", "-1:2"] {
            assert!(!describes(odd, &file), "{odd}");
        }
        assert!(!is_journal(None));
    }
}
