//! Portuguese of Brazil.

use super::{Texts, Words};

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
    colon: ":",
};
