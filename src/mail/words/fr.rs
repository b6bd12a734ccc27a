//! French. A space that must not break stands before `:` and `?`, and within guillemets.

use super::{Facts, Texts, Words};

pub(super) const WORDS: Words = Words {
    reset: Texts {
        subject: "Choisis un nouveau mot de passe",
        before: &[
            "Bonjour,",
            "Quelqu’un, très probablement toi, a demandé un nouveau mot de passe pour ton compte Mellow. Ce \
             lien te permet d’en choisir un. Il fonctionne une seule fois, pendant 30 minutes.",
        ],
        act: "Choisir un nouveau mot de passe",
        after: &[
            "Un nouveau mot de passe te déconnecte partout. Si la demande ne vient pas de toi, tu peux ignorer \
             ce message\u{a0}: rien ne change sans le lien.",
        ],
    },
    confirm: Texts {
        subject: "Confirme ta nouvelle adresse e-mail",
        before: &[
            "Bonjour,",
            "Quelqu’un, très probablement toi, veut utiliser cette adresse pour un compte Mellow. Ce lien te \
             permet de la confirmer. Il fonctionne une seule fois, pendant 24 heures.",
        ],
        act: "Confirmer cette adresse",
        after: &[
            "D’ici là, c’est avec l’ancienne adresse que tu te connectes. Si tu ne sais pas de quoi il s’agit, \
             tu peux ignorer ce message\u{a0}: rien ne change sans le lien.",
        ],
    },
    notice: Texts {
        subject: "Ton adresse e-mail va changer",
        before: &[
            "Bonjour,",
            "Quelqu’un, très probablement toi, a demandé de remplacer l’adresse e-mail de ton compte Mellow \
             par une autre. Elle change dès que cette autre adresse est confirmée. Si c’était toi, il n’y a \
             rien à faire.",
            "Si ce n’était pas toi, ce lien garde ton adresse telle qu’elle est. Il fonctionne une seule fois, \
             pendant 72 heures, même après le changement.",
        ],
        act: "Garder mon ancienne adresse",
        after: &[
            "Choisis ensuite un nouveau mot de passe\u{a0}: «\u{a0}Mot de passe oublié\u{a0}?\u{a0}», sur la \
             page de connexion, t’envoie un lien pour cela.",
        ],
    },
    made: Texts {
        subject: "Un lien de mot de passe a été créé pour toi",
        before: &[
            "Bonjour,",
            "L’hôte de ce Mellow a créé un lien qui permet de choisir un nouveau mot de passe pour ton compte, \
             et te le transmet. Il fonctionne une seule fois, pendant 30 minutes. Ce message ne le contient \
             pas.",
        ],
        act: "Ouvrir Mellow",
        after: &[
            "Un nouveau mot de passe te déconnecte partout. Si tu ne sais pas de quoi il s’agit, demande à \
             l’hôte. «\u{a0}Mot de passe oublié\u{a0}?\u{a0}», sur la page de connexion, t’envoie ton propre \
             lien, et celui de l’hôte cesse alors de fonctionner.",
        ],
    },
    login: Texts {
        subject: "Nouvelle connexion à ton compte",
        before: &["Bonjour,", "Un navigateur que ton compte Mellow ne connaissait pas s’est connecté."],
        act: "Ouvrir les réglages",
        after: &["Si c’était toi, il n’y a rien à faire. Sinon, choisis un nouveau mot de passe dans les \
             réglages. Il te déconnecte partout."],
    },
    passkey_added: Texts {
        subject: "Une clé d’accès a été ajoutée à ton compte",
        before: &[
            "Bonjour,",
            "Une clé d’accès a été ajoutée à ton compte Mellow. Elle permet de se connecter sans le mot de \
             passe.",
        ],
        act: "Ouvrir les réglages",
        after: &["Si c’était toi, il n’y a rien à faire. Sinon, retire la clé d’accès dans les réglages et \
             choisis-y un nouveau mot de passe. Il te déconnecte partout."],
    },
    passkey_removed: Texts {
        subject: "Une clé d’accès a été retirée de ton compte",
        before: &[
            "Bonjour,",
            "Une clé d’accès a été retirée de ton compte Mellow. Elle ne permet plus de se connecter.",
        ],
        act: "Ouvrir les réglages",
        after: &["Si c’était toi, ou si tu l’as demandé à l’hôte, il n’y a rien à faire. Sinon, choisis un \
             nouveau mot de passe dans les réglages. Il te déconnecte partout."],
    },
    facts: Facts {
        device: "Appareil",
        browser: "Un navigateur",
        on: [" sur ", ""],
        time: "Heure",
        moment: "%d/%m/%Y, %H:%M",
    },
    colon: "\u{a0}:",
};
