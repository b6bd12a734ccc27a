//! The context of a handler: the services of the server, the viewer, and ways to read and write.

use std::net::IpAddr;
use std::sync::Arc;

use crate::authz::{Device, Viewer};
use crate::backup::BackupService;
use crate::clock::Clock;
use crate::db::command::{Done, KeyUse, WriteCommand};
use crate::db::readers::{Readers, Snapshot};
use crate::db::writer::WriterHandle;
use crate::delivery::barrier::Barrier;
use crate::delivery::groups::Groups;
use crate::error::{Error, Refusal};
use crate::features::account::exports::ExportService;
use crate::features::auth::service::AuthService;
use crate::features::events::Event;
use crate::features::imports::service::ImportService;
use crate::features::mails::store::MailQueue;
use crate::features::passkeys::service::PasskeyService;
use crate::features::posts::store::recent_followers::RecentFollowers;
use crate::features::quiet::service::QuietService;
use crate::features::theme::service::ThemeService;
use crate::features::uploads::service::UploadService;
use crate::ids::{GroupId, IdMaker, UserId};
use crate::languages::Languages;
use crate::limits;
use crate::mail;
use crate::model::stored_replies;
use crate::rate_limit::{RateLimit, RateLimiter};
use crate::reply::Reply;
use crate::settings::Settings;

/// The services of this server, shared by all its threads.
pub struct App {
    pub settings: Settings,
    /// The beginning of every link to this site.
    pub site_url: String,
    /// Returns how many sockets are open.
    pub open_sockets: Box<dyn Fn() -> u64 + Send + Sync>,
    /// Returns the name of each front, its open sockets, and the writes that it has not delivered yet.
    pub fronts: Box<dyn Fn() -> Vec<(String, u64, u64)> + Send + Sync>,
    pub clock: Clock,
    /// Makes the ids of users, logins and mails with a link. The writer makes all other ids.
    pub ids: Arc<IdMaker>,
    pub readers: Readers,
    pub writer: WriterHandle<Event>,
    pub auth: AuthService,
    pub passkeys: PasskeyService,
    pub uploads: Arc<UploadService>,
    pub imports: ImportService,
    pub exports: Arc<ExportService>,
    pub backups: BackupService,
    pub mail_queue: MailQueue,
    pub theme: Arc<ThemeService>,
    pub quiet: Arc<QuietService>,
    pub languages: Languages,
    pub followers: Arc<RecentFollowers>,
    pub barrier: Arc<Barrier>,
    pub groups: Arc<Groups>,
    pub rate_limiters: RateLimiters,
}

/// The context of a command of the host, with or without a server.
#[derive(Clone, Copy)]
pub struct HostContext<'a> {
    pub readers: &'a Readers,
    pub writer: &'a WriterHandle<Event>,
    pub clock: &'a Clock,
    pub ids: &'a IdMaker,
    pub settings: &'a Settings,
    pub site_url: &'a str,
    pub theme: &'a Arc<ThemeService>,
    /// None if no server runs on this folder.
    pub server: Option<&'a App>,
}

impl HostContext<'_> {
    /// Submits a command to the writer. Waits for its commit, and until its events were delivered to every connection.
    ///
    /// # Errors
    /// One line that says why nothing was done.
    pub async fn write<C: WriteCommand<Event = Event>>(&self, command: C) -> Result<Done<C::Value>, String> {
        self.submit(command).await.map_err(|why| sentence(&why))
    }

    /// Like [`HostContext::write`], for a command whose caller words the refusals.
    ///
    /// # Errors
    /// The refusal of the command.
    pub async fn submit<C: WriteCommand<Event = Event>>(
        &self,
        command: C,
    ) -> Result<Done<C::Value>, Refusal> {
        let done = self.writer.submit(command).await?;
        if let Some(app) = self.server {
            app.barrier.wait(done.seq).await;
        }
        Ok(done)
    }

    /// Runs a read on a reader thread, in one snapshot. Returns its result.
    ///
    /// # Errors
    /// One line that says why it failed.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(Snapshot<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, String> {
        self.readers.read(read).await.map_err(|why| sentence(&why.into_refusal()))
    }

    /// Returns the text that gives the host a link. If `public_url` is not set, a second line says what that means.
    #[must_use]
    pub fn link_text(&self, url: &str) -> String {
        let note = match self.settings.public_url.origin {
            None => "This link has the address of this machine alone, because public_url is not set.\n",
            Some(_) => "",
        };
        format!("{url}\n{note}")
    }
}

/// Returns the line for the host, because the usual sentence of a refusal is about what a person typed into the app.
pub fn sentence(refusal: &Refusal) -> String {
    match refusal {
        Refusal::StorageFull => "the disk is full, and nothing was changed. Free some space first.".into(),
        Refusal::Fault => {
            "this failed inside. The log of the Mellow that runs here, or `mellow check`, says more.".into()
        }
        other => other.view().message.into_owned(),
    }
}

impl App {
    /// Returns the context for commands of the host that this server executes.
    #[must_use]
    pub fn host_context(&self) -> HostContext<'_> {
        let Self { readers, writer, clock, ids, settings, site_url, theme, .. } = self;
        HostContext { readers, writer, clock, ids, settings, site_url, theme, server: Some(self) }
    }
}

/// The rate limits of users.
pub struct RateLimiters {
    pub requests: RateLimiter<UserId>,
    pub posts: RateLimiter<UserId>,
    pub edits: RateLimiter<UserId>,
    pub comments: RateLimiter<UserId>,
    pub follows: RateLimiter<UserId>,
    /// Notifications of a follow, by the follower and the followed user.
    pub follow_notifications: RateLimiter<(UserId, UserId)>,
    pub hides: RateLimiter<UserId>,
    pub votes: RateLimiter<UserId>,
    pub searches: RateLimiter<UserId>,
    pub suggestions: RateLimiter<UserId>,
    pub profiles: RateLimiter<UserId>,
    pub languages: RateLimiter<UserId>,
    pub polls: RateLimiter<UserId>,
    pub groups: RateLimiter<UserId>,
    pub invites: RateLimiter<UserId>,
    pub reports: RateLimiter<UserId>,
    pub exports: RateLimiter<UserId>,
    /// Mails about notices, by the recipient and the kind. One kind cannot use up the mails of another one.
    pub notice_mails: RateLimiter<(UserId, mail::Kind)>,
    pub imports: RateLimiter<UserId>,
    pub uploads: RateLimiter<UserId>,
    pub upload_kib: RateLimiter<UserId>,
    pub chunks: RateLimiter<UserId>,
}

impl RateLimiters {
    /// Makes the limiters from the settings of the host.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let limiter = |count: u64, period_ms: u64| RateLimiter::new(RateLimit { count, period_ms });
        Self {
            requests: RateLimiter::new(RateLimit::per_second(settings.requests_per_second)),
            posts: limiter(settings.posts_per_day, 24 * 3_600_000),
            edits: limiter(settings.edits_per_hour, 3_600_000),
            comments: limiter(settings.comments_per_hour, 3_600_000),
            follows: limiter(settings.follows_per_day, 24 * 3_600_000),
            follow_notifications: RateLimiter::new(RateLimit {
                count: 1,
                period_ms: limits::FOLLOW_NOTIFY_PAUSE_MS.unsigned_abs(),
            }),
            hides: limiter(limits::HIDES_PER_DAY, 24 * 3_600_000),
            votes: limiter(settings.votes_per_minute, 60_000),
            searches: limiter(settings.searches_per_minute, 60_000),
            suggestions: limiter(settings.suggestions_per_minute, 60_000),
            profiles: limiter(settings.profile_edits_per_hour, 3_600_000),
            languages: limiter(limits::LANGUAGES_PER_HOUR, 3_600_000),
            polls: limiter(settings.polls_per_day, 24 * 3_600_000),
            groups: limiter(settings.group_changes_per_hour, 3_600_000),
            invites: limiter(settings.invites_per_day, 24 * 3_600_000),
            reports: limiter(settings.reports_per_day, 24 * 3_600_000),
            exports: limiter(settings.exports_per_day, 24 * 3_600_000),
            notice_mails: RateLimiter::new(RateLimit {
                count: settings.mails_per_hour,
                period_ms: 3_600_000,
            }),
            imports: limiter(settings.imports_per_day, 24 * 3_600_000),
            uploads: limiter(settings.uploads_per_day, 24 * 3_600_000),
            upload_kib: limiter(settings.upload_mib_per_day * 1_024, 24 * 3_600_000),
            chunks: RateLimiter::new(RateLimit::per_second(settings.chunks_per_second)),
        }
    }
}

/// The context of one request: the viewer, the network address, the device, and the services of the server.
#[derive(Clone, Copy)]
pub struct RequestContext<'a> {
    pub app: &'a App,
    pub viewer: Viewer,
    pub address: IpAddr,
    pub device: &'a Device,
}

impl RequestContext<'_> {
    /// Returns the viewer's id.
    ///
    /// # Errors
    /// [`Refusal::NotSignedIn`] for a guest.
    pub fn user(&self) -> Result<UserId, Refusal> {
        self.viewer.user_id().ok_or(Refusal::NotSignedIn)
    }

    /// Returns the time.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.app.clock.now_ms()
    }

    /// Runs a read on a reader thread, in one snapshot. Returns its result.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if too many reads wait; the error of the read.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(Snapshot<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.app.readers.read(read).await
    }

    /// Submits a command to the writer and waits for its commit.
    ///
    /// # Errors
    /// The refusal of the command.
    pub async fn submit<C: WriteCommand<Event = Event>>(&self, command: C) -> Result<Done<C::Value>, Error> {
        Ok(self.app.writer.submit(command).await?)
    }

    /// Like [`RequestContext::submit`], within a rate limit. A command that is refused or changes nothing does not
    /// count.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], or the refusal of the command.
    pub async fn submit_limited<C: WriteCommand<Event = Event>>(
        &self,
        limiter: &RateLimiter<UserId>,
        command: C,
    ) -> Result<Done<C::Value>, Error> {
        self.limited(limiter, command.key().cloned(), self.submit(command)).await
    }

    /// Like [`RequestContext::submit`]. Returns the reply.
    ///
    /// # Errors
    /// The refusal of the command.
    pub async fn write(&self, command: impl WriteCommand<Event = Event>) -> Result<Reply, Error> {
        Ok(self.submit(command).await?.into())
    }

    /// Like [`RequestContext::submit_limited`]. Returns the reply.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], or the refusal of the command.
    pub async fn write_limited(
        &self,
        limiter: &RateLimiter<UserId>,
        command: impl WriteCommand<Event = Event>,
    ) -> Result<Reply, Error> {
        Ok(self.submit_limited(limiter, command).await?.into())
    }

    /// Like [`RequestContext::write`], for a command that takes a right away. It also waits until all events up to the
    /// command were delivered to every connection. A repeated key waits as well.
    ///
    /// # Errors
    /// The refusal of the command.
    pub async fn write_delivered(&self, command: impl WriteCommand<Event = Event>) -> Result<Reply, Error> {
        let reply = self.write(command).await?;
        self.app.barrier.wait(reply.seq).await;
        Ok(reply)
    }

    /// Runs a command that changes the members of a group. If the viewer is in the group, the group actor runs it,
    /// after the changes that came before. If `takes_rights`, the reply comes after all events up to the command were
    /// delivered to every connection.
    ///
    /// # Errors
    /// The refusal of the command.
    pub async fn change_group(
        &self,
        group_id: GroupId,
        command: impl WriteCommand<Event = Event>,
        takes_rights: bool,
    ) -> Result<Reply, Error> {
        Ok(self.submit_to_group(group_id, command, takes_rights).await?.into())
    }

    /// Like [`RequestContext::change_group`] within a rate limit, for a command that takes no rights away.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], or the refusal of the command.
    pub async fn change_group_limited(
        &self,
        limiter: &RateLimiter<UserId>,
        group_id: GroupId,
        command: impl WriteCommand<Event = Event>,
    ) -> Result<Reply, Error> {
        let key = command.key().cloned();
        Ok(self.limited(limiter, key, self.submit_to_group(group_id, command, false)).await?.into())
    }

    async fn submit_to_group<C: WriteCommand<Event = Event>>(
        &self,
        group_id: GroupId,
        command: C,
        takes_rights: bool,
    ) -> Result<Done<C::Value>, Error> {
        let user_id = self.user()?;
        let writer = self.app.writer.clone();
        let write = async move {
            let done = writer.submit(command).await;
            let lost_at = done.as_ref().ok().map(|done| done.seq).filter(|_| takes_rights);
            (done, lost_at)
        };
        Ok(self.app.groups.change(user_id, group_id, write).await.ok_or(Refusal::Busy)??)
    }

    /// Runs a write within the rate limit of the viewer.
    async fn limited<V>(
        &self,
        limiter: &RateLimiter<UserId>,
        key: Option<KeyUse>,
        write: impl Future<Output = Result<Done<V>, Error>>,
    ) -> Result<Done<V>, Error> {
        let user_id = self.user()?;
        if let Err(slow) = limiter.take(user_id, self.now_ms()) {
            // A retry of a command that was done is not limited, because it only gets the first reply again.
            let Some(key) = key else { return Err(slow.into()) };
            if !self.read(move |snapshot| stored_replies::knows_key(snapshot.sql, &key)).await? {
                return Err(slow.into());
            }
            return write.await;
        }
        let done = write.await;
        if !done.as_ref().is_ok_and(|done| done.is_change) {
            limiter.give_back(&user_id);
        }
        done
    }
}

impl<V> From<Done<V>> for Reply {
    fn from(Done { ok, seq, if_lost, is_change, .. }: Done<V>) -> Self {
        Self { ok, seq, is_read: false, subscribe: Vec::new(), if_lost, is_change, signed_in: None }
    }
}
