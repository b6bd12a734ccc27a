//! The golden refusals.

use std::collections::BTreeMap;

use mellow::error::{Field, Refusal, Sentence};
use mellow::wire;

pub fn refusals() -> BTreeMap<&'static str, Vec<u8>> {
    let all = [
        Refusal::BadFrame,
        Refusal::BadRequest,
        Refusal::UnknownOp,
        Refusal::NotSignedIn,
        Refusal::NotFound,
        Refusal::Invalid(Field::Text, Sentence::TooLong(2_000)),
        Refusal::CommentsLimited,
        Refusal::NoSuchUser,
        Refusal::BadCredentials,
        Refusal::Suspended,
        Refusal::WrongPassword,
        Refusal::LinkExpired,
        Refusal::SlotChanged("evening"),
        Refusal::AudienceChanged,
        Refusal::MoodSet,
        Refusal::PollVoted,
        Refusal::PollClosed,
        Refusal::SignUpClosed,
        Refusal::InviteExpired,
        Refusal::EmailTaken,
        Refusal::WeakPassword(Sentence::PasswordShort),
        Refusal::KeyConflict,
        Refusal::PictureTooLarge("Zoë.jpg".into()),
        Refusal::NotAPicture("Zoë.jpg".into()),
        Refusal::UploadGone,
        Refusal::SlowDown(1_200),
        Refusal::Busy,
        Refusal::StorageFull,
        Refusal::Fault,
    ];
    all.into_iter()
        .map(|refusal| {
            // A message that cannot be decoded has no id.
            let re = (refusal != Refusal::BadFrame).then_some(4_294_967_295);
            (refusal.view().code, wire::reply_err(re, refusal).to_vec())
        })
        .collect()
}
