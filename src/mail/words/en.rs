//! English. Only ASCII characters are used, so that the text is readable in its raw form.

use super::{Facts, Texts, Words};

pub(super) const WORDS: Words = Words {
    reset: Texts {
        subject: "Reset your password",
        before: &[
            "Hello,",
            "Somebody, most likely you, asked for a new password for your Mellow account. With this link \
             you choose one. It works once, for 30 minutes.",
        ],
        act: "Choose a new password",
        after: &["A new password logs you out everywhere. If it wasn't you who asked, you can leave this \
             letter unanswered: nothing changes without the link."],
    },
    confirm: Texts {
        subject: "Confirm your new email",
        before: &[
            "Hello,",
            "Somebody, most likely you, wants to use this address for a Mellow account. With this link \
             you confirm it. It works once, for 24 hours.",
        ],
        act: "Confirm this address",
        after: &["Until then the old address is the one to log in with. If you don't know what this is \
             about, you can leave this letter unanswered: nothing changes without the link."],
    },
    notice: Texts {
        subject: "Your email is about to change",
        before: &[
            "Hello,",
            "Somebody, most likely you, asked to change the email of your Mellow account to another \
             address. It changes once that address is confirmed. If this was you, there is nothing to do.",
            "If it wasn't you, this link keeps your email as it is. It works once, for 72 hours, also \
             after the change.",
        ],
        act: "Keep my old email",
        after: &[
            "Then please choose a new password: \"Forgot your password?\" on the log-in page sends you \
             a link for that.",
        ],
    },
    made: Texts {
        subject: "A password link was made for you",
        before: &[
            "Hello,",
            "The host of this Mellow made a link with which a new password is chosen for your account, and \
             gives it to you. It works once, for 30 minutes. This mail does not contain it.",
        ],
        act: "Open Mellow",
        after: &[
            "A new password logs you out everywhere. If you don't know what this is about, please ask the \
             host. \"Forgot your password?\" on the log-in page sends you a link of your own, which ends \
             the host's.",
        ],
    },
    login: Texts {
        subject: "New login to your account",
        before: &["Hello,", "A browser that your Mellow account did not know before has logged in to it."],
        act: "Open Settings",
        after: &[
            "If this was you, there is nothing to do. If it wasn't you, please choose a new password in \
             Settings. It logs you out everywhere.",
        ],
    },
    passkey_added: Texts {
        subject: "A passkey was added to your account",
        before: &[
            "Hello,",
            "A passkey was added to your Mellow account. With it somebody logs in without the password.",
        ],
        act: "Open Settings",
        after: &["If this was you, there is nothing to do. If it wasn't you, please remove the passkey in \
             Settings, and choose a new password there. It logs you out everywhere."],
    },
    passkey_removed: Texts {
        subject: "A passkey was removed from your account",
        before: &[
            "Hello,",
            "A passkey was removed from your Mellow account. Nobody logs in with it any more.",
        ],
        act: "Open Settings",
        after: &["If this was you, or if you asked the host for it, there is nothing to do. If not, please \
             choose a new password in Settings. It logs you out everywhere."],
    },
    facts: Facts {
        device: "Device",
        browser: "A browser",
        on: [" on ", ""],
        time: "Time",
        moment: "%d/%b/%y, %H:%M",
    },
    colon: ":",
};
