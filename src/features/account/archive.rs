//! An archive of all that somebody has here, made while it is fetched, in pieces as its reader takes them.
//!
//! Promises:
//! - Only what is of this person, or was shown to them by name: whom they follow, who did what.
//! - Whatever it holds, memory holds a page of rows or a piece of a file of it, and the disk nothing.
//! - An archive that ends before its end is no archive: its download fails, and it does not open.
//! - It ends so with the login that fetches it: whoever is shown out takes nothing more along.
//!
//! The only file that knows `zip`. Packing is done off the actors' threads.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc::Sender;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::store::export::{CHAPTERS, files, is_here};
use crate::db::readers::Snapshot;
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::features::kit::App;
use crate::ids::{LoginId, UserId};
use crate::limits::{EXPORT_PIECE_BYTES, EXPORT_STALL_MS_MAX};

/// Where the pieces of an archive go. The last of a whole one is empty.
pub type Pieces = Sender<Bytes>;

const README: &str = "\
This is everything you have on Mellow, as it was when you asked for it.

profile.json         who you are here, your address of mail and your settings
posts.json           your posts, with the names of their pictures in this archive
comments.json        what you said under posts
vibes.json           your votes on posts
moods.json           your moods of today
polls.json           your polls, and how many chose what: of those that you voted in yourself
poll_votes.json      your votes in polls: which option, the first being 1
groups.json          your groups, and who is in them
joined_groups.json   groups of others that you are in, and whose they are
following.json       whom you follow
followers.json       who follows you
notifications.json   what you were told of, and of whom
logins.json          where you are signed in
media/               your pictures and your photo, in the size in which they are kept

Each .json file is a list, newest first, one thing a line. Times are of UTC.
What other people wrote is theirs and is not in here.
";

/// Packs everything of somebody into `out`, piece by piece.
///
/// # Errors
/// [`Refusal::NotFound`] when the login ends meanwhile; [`Refusal::Busy`] when its reader has left; a fault.
pub async fn pack(user_id: UserId, login_id: LoginId, app: &App, out: Pieces) -> Result<(), Error> {
    let mut pack = Pack::new(out);
    pack.begin("README.txt").await?;
    pack.adds(README.into()).await?;
    for chapter in CHAPTERS {
        pack.begin(chapter.file).await?;
        let (mut before, mut joint) = (None, "[\n");
        loop {
            let now_ms = app.clock.now_ms();
            // A snapshot for each page: none is held while a slow reader takes one.
            let page = move |sql: Sql<'_>| chapter.page(sql, user_id, before, now_ms);
            let (objects, next) = read(user_id, login_id, app, page).await?;
            if !objects.is_empty() {
                pack.adds(format!("{joint}{}", objects.join(",\n"))).await?;
                joint = ",\n";
            }
            before = next;
            if before.is_none() {
                break;
            }
        }
        let end = if joint == "[\n" { "[]\n" } else { "\n]\n" };
        pack.adds(end.into()).await?;
    }
    let mut after = 0;
    loop {
        let found = read(user_id, login_id, app, move |sql| files(sql, user_id, after)).await?;
        let Some((last, _)) = found.last() else { break };
        after = *last;
        for (_, full_path) in found {
            read(user_id, login_id, app, |_| Ok(())).await?;
            pack.adds_file(&format!("media/{full_path}"), app.uploads.path_of(&full_path)).await?;
        }
    }
    pack.ends().await
}

/// Reads in a snapshot in which the login is still there.
async fn read<T: Send + 'static>(
    user_id: UserId,
    login_id: LoginId,
    app: &App,
    read: impl FnOnce(Sql<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let read = move |Snapshot { sql, .. }: Snapshot<'_>| {
        if !is_here(sql, user_id, login_id)? {
            return Err(Refusal::NotFound.into());
        }
        read(sql)
    };
    app.readers.read(read).await
}

/// What a packer has written and nobody took yet.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type Packer = ZipWriter<StreamWriter<Written>>;

/// An archive that is being made.
struct Pack {
    /// Away while a thread packs, and for good when that failed.
    packer: Option<Packer>,
    written: Written,
    out: Pieces,
}

impl Pack {
    fn new(out: Pieces) -> Self {
        let written = Written::default();
        Self { packer: Some(ZipWriter::new_stream(written.clone())), written, out }
    }

    /// Packs a piece away from the actors' threads, and hands out what comes of it.
    async fn packs<T: Send + 'static>(
        &mut self,
        act: impl FnOnce(&mut Packer) -> io::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let mut packer = self.packer.take().ok_or(Error::Broken("an archive goes on after its end"))?;
        let packing = tokio::task::spawn_blocking(move || {
            let done = act(&mut packer);
            (packer, done)
        });
        let (packer, done) = packing.await.map_err(|_| Error::Broken("a packing thread ended early"))?;
        self.packer = Some(packer);
        let done = done.map_err(|why| {
            log::warn!("an archive is not made to its end: {why}");
            Error::Broken("an archive could not be packed")
        })?;
        self.hands_out().await?;
        Ok(done)
    }

    async fn hands_out(&self) -> Result<(), Error> {
        let piece = self.written.take();
        if piece.is_empty() { Ok(()) } else { self.hands(piece.into()).await }
    }

    async fn hands(&self, piece: Bytes) -> Result<(), Error> {
        let patience = Duration::from_millis(EXPORT_STALL_MS_MAX);
        match tokio::time::timeout(patience, self.out.send(piece)).await {
            Ok(Ok(())) => Ok(()),
            // Its reader has left, or takes nothing.
            Ok(Err(_)) | Err(_) => Err(Refusal::Busy.into()),
        }
    }

    /// Begins a file.
    async fn begin(&mut self, name: &str) -> Result<(), Error> {
        let name = name.to_owned();
        self.packs(move |packer| begin(packer, name)).await
    }

    /// Adds text to the file that was begun.
    async fn adds(&mut self, text: String) -> Result<(), Error> {
        self.packs(move |packer| packer.write_all(text.as_bytes())).await
    }

    /// Adds a stored file; one that was removed meanwhile is left out.
    async fn adds_file(&mut self, name: &str, path: PathBuf) -> Result<(), Error> {
        let name = name.to_owned();
        let opened = self.packs(move |packer| match std::fs::File::open(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(why) => Err(why),
            Ok(file) => begin(packer, name).map(|()| Some(file)),
        });
        let Some(mut file) = opened.await? else { return Ok(()) };
        loop {
            let reading = move |packer: &mut Packer| {
                let mut piece = vec![0; EXPORT_PIECE_BYTES];
                let read = file.read(&mut piece)?;
                packer.write_all(&piece[..read])?;
                Ok((file, read))
            };
            let read;
            (file, read) = self.packs(reading).await?;
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// Ends the archive.
    async fn ends(mut self) -> Result<(), Error> {
        let packer = self.packer.take().ok_or(Error::Broken("an archive ends twice"))?;
        packer.finish().map_err(|_| Error::Broken("an archive could not be ended"))?;
        self.hands_out().await?;
        self.hands(Bytes::new()).await
    }
}

fn begin(packer: &mut Packer, name: String) -> io::Result<()> {
    // Packed, pictures too: what comes without its length in front is read everywhere only so.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    packer.start_file(name, options.compression_level(Some(1))).map_err(io::Error::other)
}
