//! Spanish.

use super::{Facts, Texts, Words};

pub(super) const WORDS: Words = Words {
    reset: Texts {
        subject: "Elige una nueva contraseña",
        before: &[
            "Hola:",
            "Alguien, seguramente tú, ha pedido una nueva contraseña para tu cuenta de Mellow. Con este enlace \
             puedes elegirla. Funciona una sola vez, durante 30 minutos.",
        ],
        act: "Elegir una nueva contraseña",
        after: &[
            "Una nueva contraseña cierra tu sesión en todas partes. Si no la has pedido tú, puedes ignorar este \
             mensaje: sin el enlace no cambia nada.",
        ],
    },
    confirm: Texts {
        subject: "Confirma tu nuevo correo",
        before: &[
            "Hola:",
            "Alguien, seguramente tú, quiere usar esta dirección para una cuenta de Mellow. Con este enlace la \
             confirmas. Funciona una sola vez, durante 24 horas.",
        ],
        act: "Confirmar esta dirección",
        after: &[
            "Hasta entonces se entra con la dirección anterior. Si no sabes de qué se trata, puedes ignorar este \
             mensaje: sin el enlace no cambia nada.",
        ],
    },
    notice: Texts {
        subject: "Tu correo está a punto de cambiar",
        before: &[
            "Hola:",
            "Alguien, seguramente tú, ha pedido cambiar el correo de tu cuenta de Mellow por otra dirección. \
             Cambia en cuanto esa dirección se confirme. Si has sido tú, no tienes que hacer nada.",
            "Si no has sido tú, con este enlace tu correo se queda como está. Funciona una sola vez, durante \
             72 horas, también después del cambio.",
        ],
        act: "Conservar mi correo anterior",
        after: &[
            "Después, elige una nueva contraseña: «¿Olvidaste tu contraseña?», en la página de inicio de \
             sesión, te envía un enlace para hacerlo.",
        ],
    },
    made: Texts {
        subject: "Se ha creado un enlace para tu contraseña",
        before: &[
            "Hola:",
            "Quien administra este Mellow ha creado un enlace para elegir una nueva contraseña en tu cuenta, y \
             te lo hará llegar. Funciona una sola vez, durante 30 minutos. Este mensaje no lo contiene.",
        ],
        act: "Abrir Mellow",
        after: &[
            "Una nueva contraseña cierra tu sesión en todas partes. Si no sabes de qué se trata, pregunta a \
             quien administra este Mellow. «¿Olvidaste tu contraseña?», en la página de inicio de sesión, te \
             envía un enlace propio, y el otro deja de funcionar.",
        ],
    },
    login: Texts {
        subject: "Nuevo inicio de sesión en tu cuenta",
        before: &["Hola:", "Un navegador que tu cuenta de Mellow no conocía ha iniciado sesión en ella."],
        act: "Abrir los ajustes",
        after: &[
            "Si has sido tú, no tienes que hacer nada. Si no, elige una nueva contraseña en los ajustes. \
             Cierra tu sesión en todas partes.",
        ],
    },
    passkey_added: Texts {
        subject: "Se ha añadido una llave de acceso a tu cuenta",
        before: &[
            "Hola:",
            "Se ha añadido una llave de acceso a tu cuenta de Mellow. Con ella se entra sin la contraseña.",
        ],
        act: "Abrir los ajustes",
        after: &[
            "Si has sido tú, no tienes que hacer nada. Si no, quita la llave de acceso en los ajustes y \
             elige allí una nueva contraseña. Cierra tu sesión en todas partes.",
        ],
    },
    passkey_removed: Texts {
        subject: "Se ha quitado una llave de acceso de tu cuenta",
        before: &[
            "Hola:",
            "Se ha quitado una llave de acceso de tu cuenta de Mellow. Ya nadie puede entrar con ella.",
        ],
        act: "Abrir los ajustes",
        after: &[
            "Si has sido tú, o si lo has pedido a quien administra este Mellow, no tienes que hacer nada. \
             Si no, elige una nueva contraseña en los ajustes. Cierra tu sesión en todas partes.",
        ],
    },
    facts: Facts {
        device: "Dispositivo",
        browser: "Un navegador",
        on: [" en ", ""],
        time: "Hora",
        moment: "%d/%m/%Y, %H:%M",
    },
    colon: ":",
};
