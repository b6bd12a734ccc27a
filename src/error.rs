//! Refusals and faults. `Invalid` and `WeakPassword` carry their sentence; the sentences of all others are here.
//!
//! A *refusal* is a no to a person. It has a stable code and a sentence, and says whether another attempt can help.
//!
//! A *fault* is a failure of the server. Its details go to the host's log, never to a person. A fault reaches the
//! client as the refusal `fault`, without details.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limits::{self, BUSY_RETRY_MS};
use crate::sentence::{Sentence, Value, Values};

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
    Invalid(Field, Sentence),
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
    /// Nothing here is proved by this passkey: it was removed, belongs to another host name or user, its challenge is
    /// over, or its counter does not rise. The cases are not distinguished.
    PasskeyUnknown,
    /// The host has switched passkeys off, or they cannot work at the address of this Mellow.
    PasskeysOff,
    /// The link of a mail was used or replaced, or is too old.
    LinkExpired,
    /// The audience of the post changed since the writer of the comment saw it.
    AudienceChanged,
    /// The slot for which a mood was picked is over. The sentence names the current one.
    SlotChanged(Sentence),
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
    WeakPassword(Sentence),
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
    /// The file of an import is too large. Holds the largest size, in MiB.
    ImportTooBig(u64),
    /// The host lets nobody import posts.
    ImportsOff,
    /// The viewer has an import that is not over.
    ImportBusy,
    /// A rate limit is reached. Holds the milliseconds after which to try again.
    SlowDown(u64),
    /// The server has too much to do.
    Busy,
    /// The disk is full; nothing was saved.
    StorageFull,
    /// A failure of the server.
    Fault,
    /// A refusal of the home, as it is sent. Only a front has it.
    OfHome(Box<RefusalView>),
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
    pub const CONTENT_NOTE: Self = Self("content_note");
    pub const TERM: Self = Self("term");
    pub const USER: Self = Self("user_id");
    pub const POST: Self = Self("post_id");
    pub const PICTURES: Self = Self("pictures");
    pub const AUDIENCE: Self = Self("audience");
    pub const MEMBERS: Self = Self("user_ids");
    pub const INVITES: Self = Self("invites");
    pub const DAY: Self = Self("day");
    pub const BACKUP: Self = Self("backup");
    pub const DETAILS: Self = Self("details");
    pub const REPORTS: Self = Self("reports");
    pub const LANGUAGE: Self = Self("language");
    pub const PASSKEYS: Self = Self("passkeys");
    pub const TO: Self = Self("to");
    pub const DAYS: Self = Self("days");
}

/// The sentence for characters that cannot be shown. Several features use it.
pub const ODD_CHARACTERS: Sentence =
    Sentence::new("odd_characters", "This has characters that can't be shown. Your words are kept.");

/// A refusal as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Refusal"))]
pub struct RefusalView {
    /// The code for programs. Its meaning never changes.
    #[cfg_attr(test, ts(type = "string"))]
    pub code: Cow<'static, str>,
    /// The sentence for people, in English.
    #[cfg_attr(test, ts(type = "string"))]
    pub message: Cow<'static, str>,
    /// The name of the sentence, for clients that say it in another language. One code may have several sentences.
    #[cfg_attr(test, ts(type = "string"))]
    pub why: Cow<'static, str>,
    /// The values in the sentence.
    #[cfg_attr(test, ts(type = "Record<string, number | string>"))]
    pub values: Values,
    /// The input that the refusal is about; None if it is about no single input.
    #[cfg_attr(test, ts(type = "string | null"))]
    pub field: Option<Cow<'static, str>>,
    /// Milliseconds after which to try again; None if trying again does not help.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub retry_ms: Option<u64>,
}

impl Refusal {
    /// Returns the refusal as it is sent.
    #[must_use]
    pub fn view(&self) -> RefusalView {
        if let Self::OfHome(view) = self {
            return (**view).clone();
        }
        let (code, sentence) = self.sentence();
        let values = self.values(sentence);
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
            Self::Busy | Self::StorageFull | Self::Fault => Some(BUSY_RETRY_MS),
            _ => None,
        };
        RefusalView {
            code: code.into(),
            message: values.put_into(sentence.text),
            why: sentence.why.into(),
            values,
            field: field.map(|Field(name)| name.into()),
            retry_ms,
        }
    }

    /// Returns the code, and the sentence with the places of its values.
    fn sentence(&self) -> (&'static str, Sentence) {
        // Most codes have one sentence, which has the name of the code.
        let one = |code, text| (code, Sentence::new(code, text));
        match self {
            Self::Invalid(_, sentence) => ("invalid", *sentence),
            Self::TooLong(..) => (
                "invalid",
                Sentence::new("too_long", "This is longer than {max} characters. Your words are kept."),
            ),
            Self::WeakPassword(sentence) => ("weak_password", *sentence),
            Self::PictureTooLarge(_) => {
                one("picture_too_large", "Image {name} is too large. Maximum size is 10MB")
            }
            Self::PhotoTooLarge => {
                ("picture_too_large", Sentence::new("photo_too_large", "File size must be less than 5MB"))
            }
            Self::NotAPicture(_, fault) => ("not_a_picture", fault.sentence()),
            Self::UploadGone => one("upload_gone", "This picture has to be sent again. Your words are kept."),
            Self::WrongPassword => one("wrong_password", "Incorrect password. Please try again."),
            Self::PasskeyUnknown => {
                one("passkey_unknown", "That passkey isn't known here. Please use your password.")
            }
            Self::PasskeysOff => one("passkeys_off", "Passkeys don't work here."),
            Self::Suspended => one("suspended", "This account is suspended."),
            Self::LinkExpired => one("link_expired", "This link has expired."),
            Self::AudienceChanged => one(
                "audience_changed",
                "Other people can read this post now. Your words are kept. Look who it is shared with, then send them.",
            ),
            Self::SlotChanged(sentence) => ("slot_changed", *sentence),
            Self::MoodSet => one("mood_set", "You've set this vibe already."),
            Self::PollVoted => one("poll_voted", "You've voted in this poll. A vote stays as it is."),
            Self::PollClosed => one("poll_closed", "This poll has closed."),
            Self::BadFrame => one("bad_frame", "This message could not be read."),
            Self::BadRequest => one("bad_request", "This request lacks something or has it wrong."),
            Self::UnknownOp => one("unknown_op", "There is no such request."),
            Self::NotSignedIn => one("not_signed_in", "You need to be logged in to view this page"),
            Self::NotFound => one("not_found", "That isn't available."),
            Self::CommentsLimited => one("comments_limited", "The author takes comments from fewer people."),
            Self::NoSuchUser => one("no_such_user", "No user found with this email."),
            Self::BadCredentials => one("bad_credentials", "Incorrect email or password. Please try again."),
            Self::EmailTaken => {
                one("email_taken", "This email is already in use. Please use a different email.")
            }
            Self::KeyConflict => one("key_conflict", "This was already sent with other words."),
            Self::SignUpClosed => one("sign_up_closed", "This Mellow isn't open to new people right now."),
            Self::InviteExpired => one("invite_expired", "This invite has expired."),
            Self::ImportTooBig(_) => one("import_too_big", "This file is too big. At most {n} MB."),
            Self::ImportsOff => one("imports_off", "This Mellow imports no posts."),
            Self::ImportBusy => one("import_busy", "You have an import that is not over yet."),
            Self::SlowDown(ms) => ("slow_down", wait(*ms).0),
            Self::Busy => one("busy", "Mellow is busy right now. Please try again in a moment."),
            Self::StorageFull => {
                one("storage_full", "Mellow has no room left. Nothing was saved; your words are kept.")
            }
            // The words of the home are in its refusal.
            Self::Fault | Self::OfHome(_) => {
                one("fault", "Something went wrong on our side. Your words are kept.")
            }
        }
    }

    /// Returns the values of its sentence.
    fn values(&self, sentence: Sentence) -> Values {
        let limits = sentence.limits.iter();
        let mut values: Vec<(Cow<'static, str>, Value)> =
            limits.map(|(name, limit)| ((*name).into(), Value::from(*limit))).collect();
        match self {
            Self::TooLong(_, max) => values.push(("max".into(), Value::from(*max))),
            Self::PictureTooLarge(name) | Self::NotAPicture(name, _) => {
                values.push(("name".into(), Value::Text(Arc::clone(name))));
            }
            Self::ImportTooBig(mb) => values.push(("n".into(), Value::Number(*mb))),
            Self::SlowDown(ms) => values.extend(wait(*ms).1.map(|count| ("n".into(), Value::Number(count)))),
            _ => {}
        }
        Values(values)
    }
}

impl PictureFault {
    fn sentence(self) -> Sentence {
        const SIDE: usize = limits::PICTURE_SIDE_MAX as usize;
        const MILLIONS: usize = limits::PICTURE_PIXELS_MAX as usize / 1_000_000;
        match self {
            Self::Unreadable => Sentence::new("not_a_picture", "{name} is not a valid image file"),
            Self::TooManyPixels => Sentence::new(
                "picture_pixels_many",
                "{name} has too many pixels. An image has at most {side} on each side, and {millions} million in all.",
            )
            .of(&[("side", SIDE), ("millions", MILLIONS)]),
            Self::TooMuchWork => Sentence::new(
                "picture_much_work",
                "{name} takes too much work to open. Please save it as a JPEG, and try again.",
            ),
        }
    }
}

/// Returns the sentence that says when to try again, with its number. It is never too early: the wait is rounded up.
fn wait(ms: u64) -> (Sentence, Option<u64>) {
    let seconds = ms.div_ceil(1_000);
    match seconds {
        ..10 => (
            Sentence::new("slow_down", "That was a lot at once. Take a breath and try again in a moment."),
            None,
        ),
        10..=90 => (
            Sentence::new(
                "slow_down_seconds",
                "That was a lot at once. Take a breath and try again in {n} seconds.",
            ),
            Some(seconds),
        ),
        91..=5_400 => (
            Sentence::new(
                "slow_down_minutes",
                "That was a lot at once. Take a breath and try again in {n} minutes.",
            ),
            Some(seconds.div_ceil(60)),
        ),
        5_401..=129_600 => (
            Sentence::new(
                "slow_down_hours",
                "That was a lot at once. Take a breath and try again in {n} hours.",
            ),
            Some(seconds.div_ceil(3_600)),
        ),
        _ => (
            Sentence::new(
                "slow_down_days",
                "That was a lot at once. Take a breath and try again in {n} days.",
            ),
            Some(seconds.div_ceil(86_400)),
        ),
    }
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
        assert_eq!((&*view.code, view.field.as_deref()), ("invalid", Some("text")));
    }

    #[test]
    fn a_refusal_of_the_home_is_sent_as_it_is() {
        let view = Refusal::TooLong(Field::TEXT, 2_000).view();
        assert_eq!(Refusal::OfHome(Box::new(view.clone())).view(), view);
    }

    #[test]
    fn a_refusal_says_whether_trying_again_can_help() {
        assert_eq!(Refusal::NotFound.view().retry_ms, None);
        assert_eq!(Refusal::SlowDown(1_200).view().retry_ms, Some(1_200));
    }
}
