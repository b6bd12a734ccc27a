//! Refusals and faults. `Invalid` and `WeakPassword` carry their sentence; the sentences of all others are here.
//!
//! A *refusal* is a no to a person. It has a stable code and a sentence, and says whether another attempt can help.
//!
//! A *fault* is a failure of the server. Its details go to the host's log, never to a person. A fault reaches the
//! client as the refusal `fault`, without details.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use crate::limits;

/// Why Mellow cannot show a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFault {
    /// It is no picture of a kind that Mellow shows, or it is damaged.
    Unreadable,
    TooManyPixels,
    /// It needs much more memory or time than a usual picture of its size.
    TooMuchWork,
}

/// A refusal of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The bytes are no message of this protocol.
    BadFrame,
    /// The message lacks a field or has a wrong one.
    BadRequest,
    /// There is no such request.
    UnknownOp,
    /// A guest asked for more than a guest may.
    NotSignedIn,
    /// The thing is deleted, unknown, or not visible. The three are not distinguished.
    NotFound,
    /// The author does not let the viewer comment.
    CommentsLimited,
    /// The input breaks a rule, with the sentence of that rule, which stands beside the rule or its limit.
    Invalid(Field, &'static str),
    /// A text has more characters than this.
    TooLong(Field, usize),
    /// Log-in: no account has this address.
    NoSuchUser,
    /// Log-in: the password is wrong.
    BadCredentials,
    /// Log-in: the password is right, but the host suspended the account.
    Suspended,
    /// The current password is wrong.
    WrongPassword,
    /// The link of a mail was used or replaced, or is too old.
    LinkExpired,
    /// The audience of the post changed since the writer of the comment saw it.
    AudienceChanged,
    /// The slot for which a mood was picked is over. Holds the current slot.
    SlotChanged(&'static str),
    /// The viewer already has a mood in this slot, or all moods of a day.
    MoodSet,
    /// The viewer already voted in this poll. A vote in a poll is final.
    PollVoted,
    /// The poll's seven days are over.
    PollClosed,
    /// Sign-up: the host accepts no new accounts.
    SignUpClosed,
    /// An invitation ended, was used up or revoked, or never was; the four are not distinguished.
    InviteExpired,
    /// The address belongs to, or is reserved for, another account.
    EmailTaken,
    /// The new password is too short, too long or easy to guess.
    WeakPassword(&'static str),
    /// The key was used for another request.
    KeyConflict,
    /// The file of a picture is too large. Holds its name.
    PictureTooLarge(Arc<str>),
    /// The file of a profile's photo is too large.
    PhotoTooLarge,
    /// A file is no picture that Mellow can show. Holds its name and the reason.
    NotAPicture(Arc<str>, PictureFault),
    /// The server does not have this upload, or no longer has it. The client begins again.
    UploadGone,
    /// A rate limit is reached. Holds the milliseconds after which to try again.
    SlowDown(u64),
    /// The server has too much to do.
    Busy,
    /// The disk is full; nothing was saved.
    StorageFull,
    /// A failure of the server.
    Fault,
}

/// The input that a refusal blames: its name in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field(pub &'static str);

impl Field {
    pub const EMAIL: Self = Self("email");
    pub const PASSWORD: Self = Self("password");
    pub const NAME: Self = Self("name");
    pub const BIO: Self = Self("bio");
    pub const MOOD: Self = Self("mood");
    pub const QUESTION: Self = Self("question");
    pub const OPTIONS: Self = Self("options");
    pub const TITLE: Self = Self("title");
    pub const TEXT: Self = Self("text");
    pub const TAG: Self = Self("tag");
    pub const TERM: Self = Self("term");
    pub const USER: Self = Self("user_id");
    pub const PICTURES: Self = Self("pictures");
    pub const AUDIENCE: Self = Self("audience");
    pub const MEMBERS: Self = Self("user_ids");
    pub const INVITES: Self = Self("invites");
    pub const DAY: Self = Self("day");
    pub const BACKUP: Self = Self("backup");
    pub const DETAILS: Self = Self("details");
    pub const REPORTS: Self = Self("reports");
}

/// The sentence for characters that cannot be shown. Several features use it.
pub const ODD_CHARACTERS: &str = "This has characters that can't be shown. Your words are kept.";

fn thousands(number: usize) -> String {
    if number >= 1_000 { format!("{},{:03}", number / 1_000, number % 1_000) } else { number.to_string() }
}

/// A refusal as it is sent.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Refusal"))]
pub struct RefusalView {
    /// The code for programs. Its meaning never changes.
    pub code: &'static str,
    /// The sentence for people.
    #[cfg_attr(test, ts(type = "string"))]
    pub message: Cow<'static, str>,
    /// The input that the refusal is about; None if it is about no single input.
    pub field: Option<&'static str>,
    /// Milliseconds after which to try again; None if trying again does not help.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub retry_ms: Option<u64>,
}

impl Refusal {
    /// Returns the refusal as it is sent.
    #[must_use]
    pub fn view(&self) -> RefusalView {
        let (code, message) = self.words();
        let field = match self {
            Self::Invalid(field, _) | Self::TooLong(field, _) => Some(*field),
            Self::NoSuchUser | Self::EmailTaken => Some(Field::EMAIL),
            Self::BadCredentials | Self::WrongPassword | Self::WeakPassword(_) => Some(Field::PASSWORD),
            Self::PictureTooLarge(_) | Self::PhotoTooLarge | Self::NotAPicture(..) | Self::UploadGone => {
                Some(Field::PICTURES)
            }
            _ => None,
        };
        let retry_ms = match self {
            Self::SlowDown(ms) => Some(*ms),
            Self::Busy | Self::StorageFull | Self::Fault => Some(limits::BUSY_RETRY_MS),
            _ => None,
        };
        RefusalView { code, message, field: field.map(|Field(name)| name), retry_ms }
    }

    fn words(&self) -> (&'static str, Cow<'static, str>) {
        let (code, message) = match self {
            Self::Invalid(_, sentence) => ("invalid", *sentence),
            Self::TooLong(_, max) => {
                let words =
                    format!("This is longer than {} characters. Your words are kept.", thousands(*max));
                return ("invalid", Cow::Owned(words));
            }
            Self::WeakPassword(sentence) => ("weak_password", *sentence),
            Self::PictureTooLarge(name) => {
                let words = format!("Image {name} is too large. Maximum size is 10MB");
                return ("picture_too_large", Cow::Owned(words));
            }
            Self::NotAPicture(name, fault) => {
                let words = match fault {
                    PictureFault::Unreadable => format!("{name} is not a valid image file"),
                    PictureFault::TooManyPixels => format!(
                        "{name} has too many pixels. An image has at most {} on each side, and {} million in all.",
                        thousands(limits::PICTURE_SIDE_MAX as usize),
                        limits::PICTURE_PIXELS_MAX / 1_000_000
                    ),
                    PictureFault::TooMuchWork => {
                        format!(
                            "{name} takes too much work to open. Please save it as a JPEG, and try again."
                        )
                    }
                };
                return ("not_a_picture", Cow::Owned(words));
            }
            Self::UploadGone => ("upload_gone", "This picture has to be sent again. Your words are kept."),
            Self::PhotoTooLarge => ("picture_too_large", "File size must be less than 5MB"),
            Self::WrongPassword => ("wrong_password", "Incorrect password. Please try again."),
            Self::Suspended => ("suspended", "This account is suspended."),
            Self::LinkExpired => ("link_expired", "This link has expired."),
            Self::AudienceChanged => (
                "audience_changed",
                "Other people can read this post now. Your words are kept. Look who it is shared with, then send them.",
            ),
            Self::SlotChanged(slot) => {
                let words = format!("It's {slot} where you are now. Set your {slot} vibe instead?");
                return ("slot_changed", Cow::Owned(words));
            }
            Self::MoodSet => ("mood_set", "You've set this vibe already."),
            Self::PollVoted => ("poll_voted", "You've voted in this poll. A vote stays as it is."),
            Self::PollClosed => ("poll_closed", "This poll has closed."),
            Self::BadFrame => ("bad_frame", "This message could not be read."),
            Self::BadRequest => ("bad_request", "This request lacks something or has it wrong."),
            Self::UnknownOp => ("unknown_op", "There is no such request."),
            Self::NotSignedIn => ("not_signed_in", "You need to be logged in to view this page"),
            Self::NotFound => ("not_found", "That isn't available."),
            Self::CommentsLimited => ("comments_limited", "The author takes comments from fewer people."),
            Self::NoSuchUser => ("no_such_user", "No user found with this email."),
            Self::BadCredentials => ("bad_credentials", "Incorrect email or password. Please try again."),
            Self::EmailTaken => {
                ("email_taken", "This email is already in use. Please use a different email.")
            }
            Self::KeyConflict => ("key_conflict", "This was already sent with other words."),
            Self::SignUpClosed => ("sign_up_closed", "This Mellow isn't open to new people right now."),
            Self::InviteExpired => ("invite_expired", "This invite has expired."),
            Self::SlowDown(ms) => {
                let words = format!("That was a lot at once. Take a breath and try again {}.", wait(*ms));
                return ("slow_down", Cow::Owned(words));
            }
            Self::Busy => ("busy", "Mellow is busy right now. Please try again in a moment."),
            Self::StorageFull => {
                ("storage_full", "Mellow has no room left. Nothing was saved; your words are kept.")
            }
            Self::Fault => ("fault", "Something went wrong on our side. Your words are kept."),
        };
        (code, Cow::Borrowed(message))
    }
}

/// Returns when to try again, for the end of a sentence. It is never too early: the wait is rounded up.
fn wait(ms: u64) -> String {
    let seconds = ms.div_ceil(1_000);
    let (count, unit) = match seconds {
        ..10 => return "in a moment".to_owned(),
        10..=90 => (seconds, "second"),
        91..=5_400 => (seconds.div_ceil(60), "minute"),
        5_401..=129_600 => (seconds.div_ceil(3_600), "hour"),
        _ => (seconds.div_ceil(86_400), "day"),
    };
    format!("in {count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A refusal.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// SQLite failed.
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A bug: something happened that should be impossible.
    #[error("{0}")]
    Broken(&'static str),
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Error {
    /// Returns the refusal that is sent. A fault is logged, and becomes [`Refusal::Fault`].
    #[must_use]
    pub fn into_refusal(self) -> Refusal {
        match self {
            Self::Refused(refusal) => refusal,
            // A foreign key failed: a post, or the viewer's account, was deleted in the meantime.
            Self::Sqlite(rusqlite::Error::SqliteFailure(why, _))
                if why.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY =>
            {
                Refusal::NotFound
            }
            fault => {
                log::error!("{fault}");
                Refusal::Fault
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_says_how_long_to_wait() {
        let says = |ms: u64| Refusal::SlowDown(ms).view().message.into_owned();
        let start = "That was a lot at once. Take a breath and try again in ";
        assert_eq!(says(0), format!("{start}a moment."));
        assert_eq!(says(9_000), format!("{start}a moment."));
        assert_eq!(says(9_001), format!("{start}10 seconds."));
        assert_eq!(says(90_000), format!("{start}90 seconds."));
        assert_eq!(says(90_001), format!("{start}2 minutes."));
        assert_eq!(says(90 * 60_000), format!("{start}90 minutes."));
        assert_eq!(says(90 * 60_000 + 1), format!("{start}2 hours."));
        assert_eq!(says(36 * 3_600_000 + 1), format!("{start}2 days."));
    }

    #[test]
    fn a_long_text_is_refused_with_its_limit() {
        let view = Refusal::TooLong(Field::TEXT, 2_000).view();
        assert_eq!(view.message, "This is longer than 2,000 characters. Your words are kept.");
        assert_eq!((view.code, view.field), ("invalid", Some("text")));
    }

    #[test]
    fn a_refusal_says_whether_trying_again_can_help() {
        assert_eq!(Refusal::NotFound.view().retry_ms, None);
        assert_eq!(Refusal::SlowDown(1_200).view().retry_ms, Some(1_200));
    }
}
