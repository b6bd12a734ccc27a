//! The home: the part of a server that owns the data folder. It has the database, the writer, the services of the
//! features, and background work.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Shape;
use super::sockets::{Delivery, Listening};
use crate::backend::publish::Publisher;
use crate::backup::{self, BackupService};
use crate::clock::Clock;
use crate::cluster::fronts::{Fronts, hold_removals};
use crate::control::Control;
use crate::db;
use crate::db::disk_floor::DiskFloor;
use crate::db::sql::Sql;
use crate::delivery::groups::Groups;
use crate::delivery::log::EventLog;
use crate::features::auth::service::AuthService;
use crate::features::context::{App, RateLimiters};
use crate::features::mails::store::MailQueue;
use crate::features::passkeys::service::PasskeyService;
use crate::features::quiet::service::QuietService;
use crate::features::{admin, imports, quiet, search, theme, uploads};
use crate::http;
use crate::ids::Seq;
use crate::jobs::mail_sender::MailSender;
use crate::jobs::ticker;
use crate::languages::Languages;
use crate::limits::HOME_LEASE_AT_STOP_MS;
use crate::mail;
use crate::model::stored_replies::has_right;
use crate::quiet_users::QuietUsers;
use crate::settings::{Settings, version};

/// A home that runs.
pub struct Home {
    pub app: Arc<App>,
    /// The history that the numbers of writes belong to.
    pub epoch: Arc<str>,
    /// What the workers deliver.
    pub delivery: Delivery,
    pub mail_sender: MailSender,
    pub control: Control,
    /// The fronts; None for a home without any.
    pub fronts: Option<Arc<Fronts>>,
    /// The number that this start took.
    pub number: Seq,
    /// The lock of the data folder, held until the process ends.
    _lock: Lock,
}

/// The lock of a data folder. The system releases it when the process ends, even after a crash.
pub struct Lock {
    _file: File,
    /// When it was taken. The run before had ended.
    taken_at: Instant,
}

/// Starts a home on the data folder of `lock`. `program` is the path of this program.
///
/// # Errors
/// One sentence for the host: the cause, and what to do.
pub async fn start(
    settings: &Settings,
    clock: Clock,
    program: PathBuf,
    lock: Lock,
    listening: &Listening,
    shape: Shape,
) -> Result<Home, String> {
    let listens_on = listening.listens_on;
    let mail = mail::Mailer::open(settings, listens_on)?;
    let theme = Arc::new(theme::service::ThemeService::open(settings)?);
    let languages = Languages::open(&settings.data, &settings.language.0, http::built_language);
    backup::make_before_upgrade(settings, clock.now_ms())?;
    let is_first = !db::is_in(&settings.data);
    let opened = db::open(&settings.data).await?;
    log::info!("Mellow {} starts", version());
    search::store::fold_names(Sql::new(&opened.writer))
        .map_err(|why| format!("cannot list the people here: {why}"))?;

    let all = quiet::store::all(Sql::new(&opened.writer))
        .map_err(|why| format!("cannot read the quiet hours of the people here: {why}"))?;
    let quiet_users = Arc::<QuietUsers>::default();
    let quiet = Arc::new(QuietService::new(quiet_users.clone(), all, clock.now_ms()));

    let log = Arc::new(EventLog::new(opened.seq));
    let delivery = Delivery {
        log: log.clone(),
        quiet_users,
        barrier: Arc::default(),
        dispatchers: Arc::default(),
        lease: None,
    };
    if shape == Shape::WithFronts && !is_first {
        // This is before anything that may take a right away.
        hold_removals(&delivery.barrier, lock.taken_at + Duration::from_millis(HOME_LEASE_AT_STOP_MS));
    }
    let fronts = (shape != Shape::Alone).then(|| Fronts::new(log.clone(), delivery.barrier.clone()));
    let groups = Groups::new(log.clone(), delivery.barrier.clone());
    let publisher = Publisher {
        log,
        groups: groups.clone(),
        dispatchers: delivery.dispatchers.clone(),
        theme: theme.clone(),
        quiet: quiet.clone(),
        clock: clock.clone(),
    };
    let publish = Box::new(move |committed| publisher.publish(committed));
    let floor =
        DiskFloor::new(settings.data.clone(), settings.database_free_mib_min.saturating_mul(1024 * 1024));
    let writer = db::writer::start(
        opened.writer,
        floor,
        clock.clone(),
        opened.ids.clone(),
        opened.seq,
        publish,
        has_right,
    );
    let counted = listening.connection_limits.clone();
    // The sockets of a split server are those of its own front.
    let elsewhere = fronts.clone().filter(|_| shape == Shape::WithFronts);
    let listed = fronts.clone();
    let app = Arc::new(App {
        fronts: Box::new(move || listed.as_ref().map(|fronts| front_figures(fronts)).unwrap_or_default()),
        open_sockets: Box::new(move || {
            counted.open() + elsewhere.as_ref().map_or(0, |fronts| fronts.sockets())
        }),
        auth: AuthService::open(settings)?,
        passkeys: PasskeyService::open(settings, listens_on),
        uploads: Arc::new(uploads::service::UploadService::open(&settings.data, program)?),
        imports: imports::service::ImportService::open(&settings.data)?,
        exports: Arc::default(),
        backups: BackupService::open(settings),
        mail_queue: MailQueue::default(),
        theme,
        quiet,
        languages,
        followers: Arc::default(),
        barrier: delivery.barrier.clone(),
        groups,
        rate_limiters: RateLimiters::new(settings),
        ids: opened.ids,
        readers: opened.readers,
        writer,
        clock,
        site_url: mail::site_url(settings, listens_on),
        settings: settings.clone(),
    });
    if let (Some(typed), Some(origin)) = (&settings.public_url.typed, &settings.public_url.origin) {
        log::info!("public_url is {typed}; browsers write it as {origin}, and so does Mellow");
    }
    admin::log_if_none(&app).await.map_err(|why| format!("cannot read the database: {why}"))?;
    let day = theme::publish_at_start(&app).await.map_err(|why| format!("cannot begin to write: {why:?}"))?;
    ticker::start_here(&app, day);
    let mail_sender = MailSender::start_here(app.clone(), mail);
    let control = Control::start_here(app.clone());
    Ok(Home {
        app,
        epoch: opened.epoch.into(),
        delivery,
        mail_sender,
        control,
        fronts,
        number: opened.seq,
        _lock: lock,
    })
}

/// Returns the name of each front, its open sockets, and the writes that it has not delivered yet.
fn front_figures(fronts: &Fronts) -> Vec<(String, u64, u64)> {
    let states = fronts.states(Instant::now()).into_iter();
    states
        .map(|state| (state.front.to_string().chars().take(6).collect(), state.sockets, state.lag))
        .collect()
}

/// Makes the data folder, and locks it for this process.
///
/// # Errors
/// One sentence for the host: the folder cannot be written, or another Mellow uses it.
pub fn lock(folder: &Path) -> Result<Lock, String> {
    prepare(folder)?;
    let file = db::try_lock_folder(folder)?.ok_or_else(|| {
        format!(
            "another Mellow is using the data folder {}. Stop it first, or choose another folder with --data.",
            folder.display()
        )
    })?;
    Ok(Lock { _file: file, taken_at: Instant::now() })
}

fn prepare(folder: &Path) -> Result<(), String> {
    let say = |why: &dyn std::fmt::Display| {
        format!("the data folder {} cannot be written: {why}. Choose another with --data.", folder.display())
    };
    std::fs::create_dir_all(folder).map_err(|why| say(&why))?;
    let trial = folder.join(".mellow-writes-here");
    std::fs::write(&trial, b"").map_err(|why| say(&why))?;
    std::fs::remove_file(&trial).map_err(|why| say(&why))
}
