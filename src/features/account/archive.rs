//! The archive of a user's data. It is made while it is fetched, piece by piece, as fast as the client reads.
//!
//! Guarantees:
//! - It contains only data of this user, and names that were shown to the user: of followed users, and of those who
//!   caused a notification.
//! - One page of rows or one piece of a file is in memory at a time. Nothing is written to disk.
//! - An archive that is cut off is invalid: the download fails, and the file cannot be opened.
//! - The archive is cut off when the login that fetches it ends.
//!
//! Only this file uses `zip`. Compression does not run on the threads of actors.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc::Sender;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::store::export::{files, has_login};
use crate::db::readers::Snapshot;
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::features::context::App;
use crate::ids::{LoginId, UserId};
use crate::limits::{EXPORT_PIECE_BYTES, EXPORT_STALL_MS_MAX};
use crate::model::archive::ArchiveFile;

/// The channel for the pieces of an archive. The last piece of a complete archive is empty.
pub type Pieces = Sender<Bytes>;

/// Returns the text that explains the files of an archive.
fn readme(files: &[ArchiveFile]) -> String {
    let files = files.iter().map(|ArchiveFile { file, about, .. }| format!("{file:<20} {about}\n"));
    format!(
        "This is everything you have on Mellow, as it was when you asked for it.\n\n{}\
         media/               your pictures and your photo, in the size that Mellow keeps\n\n\
         Each .json file is a list, newest first, with one item in each line. Times are in UTC.\n\
         Texts that other people wrote are not in this archive.\n",
        files.collect::<String>()
    )
}

/// Packs all data of a user into `out`, piece by piece: first these files of rows, then pictures.
///
/// # Errors
/// [`Refusal::NotFound`] if the login ends; [`Refusal::Busy`] if the client closed the connection or reads nothing; a
/// fault.
pub async fn pack(
    user_id: UserId,
    login_id: LoginId,
    app: &App,
    of_rows: Vec<ArchiveFile>,
    out: Pieces,
) -> Result<(), Error> {
    let mut pack = ArchiveWriter::new(out);
    pack.begin("README.txt").await?;
    pack.add(readme(&of_rows)).await?;
    for archive_file in of_rows {
        pack.begin(archive_file.file).await?;
        let (mut before, mut joint) = (None, "[\n");
        loop {
            let now_ms = app.clock.now_ms();
            // Each page has a snapshot of its own, so that none is held while a slow client reads.
            let page = move |sql: Sql<'_>| archive_file.page(sql, user_id, before, now_ms);
            let (objects, next) = read(user_id, login_id, app, page).await?;
            if !objects.is_empty() {
                pack.add(format!("{joint}{}", objects.join(",\n"))).await?;
                joint = ",\n";
            }
            before = next;
            if before.is_none() {
                break;
            }
        }
        let end = if joint == "[\n" { "[]\n" } else { "\n]\n" };
        pack.add(end.into()).await?;
    }
    let mut after = 0;
    loop {
        let found = read(user_id, login_id, app, move |sql| files(sql, user_id, after)).await?;
        let Some((last, _)) = found.last() else { break };
        after = *last;
        for (_, full_path) in found {
            read(user_id, login_id, app, |_| Ok(())).await?;
            pack.add_file(&format!("media/{full_path}"), app.uploads.path_of(&full_path)).await?;
        }
    }
    pack.finish().await
}

/// Runs a read, if the login still exists in its snapshot.
async fn read<T: Send + 'static>(
    user_id: UserId,
    login_id: LoginId,
    app: &App,
    read: impl FnOnce(Sql<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let read = move |Snapshot { sql, .. }: Snapshot<'_>| {
        if !has_login(sql, user_id, login_id)? {
            return Err(Refusal::NotFound.into());
        }
        read(sql)
    };
    app.readers.read(read).await
}

/// Bytes that the packer has written and that are not yet sent.
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
struct ArchiveWriter {
    /// None while a thread packs, and after a thread panicked.
    packer: Option<Packer>,
    written: Written,
    out: Pieces,
}

impl ArchiveWriter {
    fn new(out: Pieces) -> Self {
        let written = Written::default();
        Self { packer: Some(ZipWriter::new_stream(written.clone())), written, out }
    }

    /// Runs one step of packing on a blocking thread, and sends the resulting bytes.
    async fn pack_step<T: Send + 'static>(
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
            log::warn!("an archive could not be completed: {why}");
            Error::Broken("an archive could not be packed")
        })?;
        self.flush().await?;
        Ok(done)
    }

    async fn flush(&self) -> Result<(), Error> {
        let piece = self.written.take();
        if piece.is_empty() { Ok(()) } else { self.send(piece.into()).await }
    }

    async fn send(&self, piece: Bytes) -> Result<(), Error> {
        let time_limit = Duration::from_millis(EXPORT_STALL_MS_MAX);
        match tokio::time::timeout(time_limit, self.out.send(piece)).await {
            Ok(Ok(())) => Ok(()),
            // The client has left, or reads nothing.
            Ok(Err(_)) | Err(_) => Err(Refusal::Busy.into()),
        }
    }

    /// Begins a file.
    async fn begin(&mut self, name: &str) -> Result<(), Error> {
        let name = name.to_owned();
        self.pack_step(move |packer| begin(packer, name)).await
    }

    /// Adds text to the current file.
    async fn add(&mut self, text: String) -> Result<(), Error> {
        self.pack_step(move |packer| packer.write_all(text.as_bytes())).await
    }

    /// Adds a stored file. A file that was removed meanwhile is left out.
    async fn add_file(&mut self, name: &str, path: PathBuf) -> Result<(), Error> {
        let name = name.to_owned();
        let opened = self.pack_step(move |packer| match std::fs::File::open(path) {
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
            (file, read) = self.pack_step(reading).await?;
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// Ends the archive.
    async fn finish(mut self) -> Result<(), Error> {
        let packer = self.packer.take().ok_or(Error::Broken("an archive ends twice"))?;
        packer.finish().map_err(|_| Error::Broken("an archive could not be ended"))?;
        self.flush().await?;
        self.send(Bytes::new()).await
    }
}

fn begin(packer: &mut Packer, name: String) -> io::Result<()> {
    // Pictures are compressed too, because an entry whose length is not known in advance can be read everywhere only if
    // it is compressed.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    packer.start_file(name, options.compression_level(Some(1))).map_err(io::Error::other)
}
