//! Refusals and faults, with all their sentences.
//!
//! A *refusal* is a no to a person. It has a stable code and a sentence, and says whether another attempt can help.
//!
//! A *fault* is a failure of the server. Its details go to the host's log, never to a person.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use crate::limits;

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
    /// The input breaks a rule.
    Invalid(Field, Sentence),
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
    /// Sign-up: the address is taken.
    EmailTaken,
    /// Sign-up: the password is short or easy to guess.
    WeakPassword(Sentence),
    /// The key was used for another request.
    KeyConflict,
    /// The file of a picture is too large. Holds its name.
    PictureTooLarge(Arc<str>),
    /// The file of a profile's photo is too large.
    PhotoTooLarge,
    /// A file is no picture that Mellow can show. Holds its name.
    NotAPicture(Arc<str>),
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

/// The input that a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Email,
    Password,
    Name,
    Bio,
    Zone,
    Mood,
    Question,
    Options,
    Title,
    Text,
    Tag,
    Term,
    User,
    Key,
    Pictures,
    Audience,
    Members,
    Invites,
    Day,
    Backup,
    Details,
    Reports,
}

impl Field {
    const fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Password => "password",
            Self::Name => "name",
            Self::Bio => "bio",
            Self::Zone => "zone",
            Self::Mood => "mood",
            Self::Question => "question",
            Self::Options => "options",
            Self::Title => "title",
            Self::Text => "text",
            Self::Tag => "tag",
            Self::Term => "term",
            Self::User => "user_id",
            Self::Key => "key",
            Self::Pictures => "pictures",
            Self::Audience => "audience",
            Self::Members => "user_ids",
            Self::Invites => "invites",
            Self::Day => "day",
            Self::Backup => "backup",
            Self::Details => "details",
            Self::Reports => "reports",
        }
    }
}

/// A sentence about invalid input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sentence {
    EmailShape,
    EmailSame,
    PasswordShort,
    PasswordLong,
    PasswordCommon,
    NameBlank,
    NameShape,
    TooLong(usize),
    PostTextBlank,
    EditedTextBlank,
    TooManyPictures,
    TooManyUploads,
    PicturesFull,
    CommentBlank,
    TooManyMentions,
    ZoneUnknown,
    MoodUnknown,
    QuestionBlank,
    QuestionLong,
    TooFewOptions,
    TooManyOptions,
    OptionLong,
    PollsFull,
    OddCharacters,
    GroupNameBlank,
    GroupsFull,
    GroupFull,
    JoinedFull,
    NotAddable,
    AudienceWider,
    TermBlank,
    FollowSelf,
    FollowsFull,
    HideSelf,
    BlocksFull,
    MutesFull,
    InvitesFull,
    DetailsBlank,
    ReportsFull,
    KeyShape,
    OfAdmin,
    OfSuspended,
    BackupFailed,
    ThemeBlank,
    DayOver,
}

impl Sentence {
    fn words(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::EmailShape => "Please enter a valid email address.",
            Self::EmailSame => "This is your email already.",
            Self::PasswordShort => "Please use at least 10 characters.",
            Self::PasswordLong => "Please use at most 128 characters.",
            Self::PasswordCommon => "That password is too easy to guess.",
            Self::NameBlank => "Please enter a name.",
            Self::NameShape => "This name has characters that can't be shown.",
            Self::TooLong(max) => {
                return Cow::Owned(format!(
                    "This is longer than {} characters. Your words are kept.",
                    thousands(max)
                ));
            }
            Self::PostTextBlank => "Post text is required",
            Self::EditedTextBlank => "Post text cannot be empty",
            Self::TooManyPictures => "You can only upload up to 4 images per post",
            Self::TooManyUploads => "Four pictures at a time, please.",
            Self::PicturesFull => "Your pictures take up all the room that one person has here.",
            Self::CommentBlank => "A comment needs a word or two.",
            Self::TooManyMentions => "You can mention at most 10 people in one comment. Your words are kept.",
            Self::ZoneUnknown => "Mellow doesn't know this time zone.",
            Self::MoodUnknown => "There is no such mood.",
            Self::QuestionBlank => "Please enter a question",
            Self::QuestionLong => "Question must be 140 characters or less",
            Self::TooFewOptions => "Please provide at least 2 options",
            Self::TooManyOptions => "A poll has at most 4 options.",
            Self::OptionLong => "Each option must be 40 characters or less",
            Self::PollsFull => "Five open polls are as many as one person has at a time.",
            Self::OddCharacters => "This has characters that can't be shown. Your words are kept.",
            Self::GroupNameBlank => "Please enter a group name.",
            Self::GroupsFull => "You have as many groups as one person can have.",
            Self::GroupFull => "A group can't have that many members.",
            Self::JoinedFull => "Somebody you picked is in as many groups as one person can be.",
            Self::NotAddable => "You can add people you follow and people who follow you, if they allow it.",
            Self::AudienceWider => {
                "Others have written under this post for a smaller circle, so it can't be shared more widely. Your words are kept."
            }
            Self::TermBlank => "Please enter a name to look for.",
            Self::FollowSelf => "You can't follow yourself.",
            Self::FollowsFull => "You follow as many people as one person can.",
            Self::HideSelf => "You can't block or mute yourself.",
            Self::BlocksFull => "You block as many people as one person can.",
            Self::MutesFull => "You mute as many people as one person can.",
            Self::InvitesFull => "You have as many invitations as one person can have. Revoke one first.",
            Self::DetailsBlank => "Please say what it is about.",
            Self::ReportsFull => "The host has many reports of yours to look at first.",
            Self::OfAdmin => "This is an admin's account. `mellow user demote` comes first.",
            Self::OfSuspended => "This account is suspended. `mellow user unsuspend` comes first.",
            Self::BackupFailed => "The backup could not be made. Health says why.",
            Self::ThemeBlank => "A theme has a title, a description and a tag.",
            Self::DayOver => "This day is over, or too far away.",
            Self::KeyShape => "A key is 16 random bytes.",
        })
    }
}

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
            Self::Invalid(field, _) => Some(field.name()),
            Self::NoSuchUser | Self::EmailTaken => Some(Field::Email.name()),
            Self::BadCredentials | Self::WrongPassword | Self::WeakPassword(_) => {
                Some(Field::Password.name())
            }
            Self::PictureTooLarge(_) | Self::PhotoTooLarge | Self::NotAPicture(_) | Self::UploadGone => {
                Some(Field::Pictures.name())
            }
            _ => None,
        };
        let retry_ms = match self {
            Self::SlowDown(ms) => Some(*ms),
            Self::Busy | Self::StorageFull | Self::Fault => Some(limits::BUSY_RETRY_MS),
            _ => None,
        };
        RefusalView { code, message, field, retry_ms }
    }

    fn words(&self) -> (&'static str, Cow<'static, str>) {
        let (code, message) = match self {
            Self::Invalid(_, sentence) => return ("invalid", sentence.words()),
            Self::WeakPassword(sentence) => return ("weak_password", sentence.words()),
            Self::PictureTooLarge(name) => {
                let words = format!("Image {name} is too large. Maximum size is 10MB");
                return ("picture_too_large", Cow::Owned(words));
            }
            Self::NotAPicture(name) => {
                return ("not_a_picture", Cow::Owned(format!("{name} is not a valid image file")));
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
            Self::SlowDown(_) => {
                ("slow_down", "That was a lot at once. Take a breath and try again in a moment.")
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
    fn a_long_text_is_refused_with_its_limit() {
        let view = Refusal::Invalid(Field::Text, Sentence::TooLong(2_000)).view();
        assert_eq!(view.message, "This is longer than 2,000 characters. Your words are kept.");
        assert_eq!((view.code, view.field), ("invalid", Some("text")));
    }

    #[test]
    fn a_refusal_says_whether_trying_again_can_help() {
        assert_eq!(Refusal::NotFound.view().retry_ms, None);
        assert_eq!(Refusal::SlowDown(1_200).view().retry_ms, Some(1_200));
    }
}
