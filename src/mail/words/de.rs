//! German.

use super::{Facts, Texts, Words};

pub(super) const WORDS: Words = Words {
    reset: Texts {
        subject: "Neues Passwort wählen",
        before: &[
            "Hallo,",
            "jemand, höchstwahrscheinlich du, hat ein neues Passwort für dein Konto bei Mellow angefordert. \
             Mit diesem Link wählst du eines. Er gilt einmal, 30 Minuten lang.",
        ],
        act: "Neues Passwort wählen",
        after: &[
            "Ein neues Passwort meldet dich überall ab. Wenn die Anfrage nicht von dir kam, brauchst du auf \
             diese E-Mail nicht zu antworten: Ohne den Link ändert sich nichts.",
        ],
    },
    confirm: Texts {
        subject: "Bestätige deine neue E-Mail-Adresse",
        before: &[
            "Hallo,",
            "jemand, höchstwahrscheinlich du, möchte diese Adresse für ein Konto bei Mellow verwenden. Mit \
             diesem Link bestätigst du sie. Er gilt einmal, 24 Stunden lang.",
        ],
        act: "Diese Adresse bestätigen",
        after: &[
            "Bis dahin meldest du dich mit der alten Adresse an. Wenn du nicht weißt, worum es geht, brauchst \
             du auf diese E-Mail nicht zu antworten: Ohne den Link ändert sich nichts.",
        ],
    },
    notice: Texts {
        subject: "Deine E-Mail-Adresse soll geändert werden",
        before: &[
            "Hallo,",
            "jemand, höchstwahrscheinlich du, möchte die E-Mail-Adresse deines Kontos bei Mellow durch eine \
             andere ersetzen. Sie ändert sich, sobald die neue Adresse bestätigt ist. Wenn du das warst, ist \
             nichts weiter zu tun.",
            "Wenn du es nicht warst, behältst du mit diesem Link deine bisherige Adresse. Er gilt einmal, \
             72 Stunden lang, auch nach der Änderung.",
        ],
        act: "Meine alte Adresse behalten",
        after: &[
            "Wähle danach bitte ein neues Passwort: „Passwort vergessen?“ auf der Anmeldeseite schickt dir \
             einen Link dafür.",
        ],
    },
    made: Texts {
        subject: "Ein Link für ein neues Passwort wurde für dich erstellt",
        before: &[
            "Hallo,",
            "wer dieses Mellow betreibt, hat einen Link erstellt, mit dem sich ein neues Passwort für dein \
             Konto wählen lässt, und gibt ihn dir. Er gilt einmal, 30 Minuten lang. Diese E-Mail \
             enthält ihn nicht.",
        ],
        act: "Mellow öffnen",
        after: &[
            "Ein neues Passwort meldet dich überall ab. Wenn du nicht weißt, worum es geht, frag bitte bei \
             denen nach, die dieses Mellow betreiben. „Passwort vergessen?“ auf der Anmeldeseite schickt dir \
             einen eigenen Link, und der andere gilt dann nicht mehr.",
        ],
    },
    login: Texts {
        subject: "Neue Anmeldung bei deinem Konto",
        before: &[
            "Hallo,",
            "ein Browser, den dein Konto bei Mellow bisher nicht kannte, hat sich angemeldet.",
        ],
        act: "Einstellungen öffnen",
        after: &[
            "Wenn du das warst, ist nichts weiter zu tun. Wenn nicht, wähle bitte in den Einstellungen ein \
             neues Passwort. Es meldet dich überall ab.",
        ],
    },
    passkey_added: Texts {
        subject: "Ein Passkey wurde deinem Konto hinzugefügt",
        before: &[
            "Hallo,",
            "deinem Konto bei Mellow wurde ein Passkey hinzugefügt. Mit ihm meldet man sich ohne das \
             Passwort an.",
        ],
        act: "Einstellungen öffnen",
        after: &[
            "Wenn du das warst, ist nichts weiter zu tun. Wenn nicht, entferne bitte den Passkey in den \
             Einstellungen und wähle dort ein neues Passwort. Es meldet dich überall ab.",
        ],
    },
    passkey_removed: Texts {
        subject: "Ein Passkey wurde aus deinem Konto entfernt",
        before: &[
            "Hallo,",
            "aus deinem Konto bei Mellow wurde ein Passkey entfernt. Mit ihm kann sich niemand mehr \
             anmelden.",
        ],
        act: "Einstellungen öffnen",
        after: &[
            "Wenn du das warst oder darum gebeten hast, ist nichts weiter zu tun. Wenn nicht, wähle bitte \
             in den Einstellungen ein neues Passwort. Es meldet dich überall ab.",
        ],
    },
    facts: Facts {
        device: "Gerät",
        browser: "Ein Browser",
        on: [" auf ", ""],
        time: "Zeit",
        moment: "%d.%m.%Y, %H:%M",
    },
    colon: ":",
};
