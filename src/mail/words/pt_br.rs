//! Portuguese of Brazil.

use super::{Facts, Texts, Words};

pub(super) const WORDS: Words = Words {
    reset: Texts {
        subject: "Escolha uma nova senha",
        before: &[
            "Olá,",
            "Alguém, muito provavelmente você, pediu uma nova senha para a sua conta no Mellow. Com este link \
             você escolhe uma. Ele funciona uma única vez, por 30 minutos.",
        ],
        act: "Escolher uma nova senha",
        after: &[
            "Uma nova senha encerra a sua sessão em todos os lugares. Se não foi você quem pediu, pode \
             ignorar esta mensagem: nada muda sem o link.",
        ],
    },
    confirm: Texts {
        subject: "Confirme o seu novo e-mail",
        before: &[
            "Olá,",
            "Alguém, muito provavelmente você, quer usar este endereço em uma conta no Mellow. Com este link \
             você confirma o endereço. O link funciona uma única vez, por 24 horas.",
        ],
        act: "Confirmar este endereço",
        after: &[
            "Até lá, é com o endereço antigo que você entra. Se não sabe do que se trata, pode ignorar \
             esta mensagem: nada muda sem o link.",
        ],
    },
    notice: Texts {
        subject: "O seu e-mail está prestes a mudar",
        before: &[
            "Olá,",
            "Alguém, muito provavelmente você, pediu para trocar o e-mail da sua conta no Mellow por outro \
             endereço. Ele muda assim que esse endereço for confirmado. Se foi você, não há nada a fazer.",
            "Se não foi você, este link mantém o seu e-mail como está. Ele funciona uma única vez, por 72 \
             horas, também depois da mudança.",
        ],
        act: "Manter o meu e-mail antigo",
        after: &[
            "Depois, escolha uma nova senha: em “Esqueceu a senha?”, na página de entrada, você pede um link \
             para isso.",
        ],
    },
    made: Texts {
        subject: "Um link de senha foi criado para você",
        before: &[
            "Olá,",
            "Quem cuida deste Mellow criou um link para escolher uma nova senha da sua conta, e vai entregá-lo \
             a você. Ele funciona uma única vez, por 30 minutos. O link não está nesta mensagem.",
        ],
        act: "Abrir o Mellow",
        after: &[
            "Uma nova senha encerra a sua sessão em todos os lugares. Se não sabe do que se trata, pergunte a \
             quem cuida deste Mellow. Em “Esqueceu a senha?”, na página de entrada, você pede um link próprio, \
             e o outro deixa de funcionar.",
        ],
    },
    login: Texts {
        subject: "Nova entrada na sua conta",
        before: &["Olá,", "Um navegador que a sua conta no Mellow não conhecia entrou nela."],
        act: "Abrir as configurações",
        after: &[
            "Se foi você, não há nada a fazer. Se não foi, escolha uma nova senha nas configurações. Ela \
             encerra a sua sessão em todos os lugares.",
        ],
    },
    passkey_added: Texts {
        subject: "Uma chave de acesso foi adicionada à sua conta",
        before: &[
            "Olá,",
            "Uma chave de acesso foi adicionada à sua conta no Mellow. Com ela se entra sem a senha.",
        ],
        act: "Abrir as configurações",
        after: &[
            "Se foi você, não há nada a fazer. Se não foi, remova a chave de acesso nas configurações e \
             escolha lá uma nova senha. Ela encerra a sua sessão em todos os lugares.",
        ],
    },
    passkey_removed: Texts {
        subject: "Uma chave de acesso foi removida da sua conta",
        before: &[
            "Olá,",
            "Uma chave de acesso foi removida da sua conta no Mellow. Ninguém mais entra com ela.",
        ],
        act: "Abrir as configurações",
        after: &[
            "Se foi você, ou se você pediu isso a quem cuida deste Mellow, não há nada a fazer. Se não \
             foi, escolha uma nova senha nas configurações. Ela encerra a sua sessão em todos os lugares.",
        ],
    },
    facts: Facts {
        device: "Aparelho",
        browser: "Um navegador",
        on: [" no ", ""],
        time: "Horário",
        moment: "%d/%m/%Y, %H:%M",
    },
    colon: ":",
};
