//! Polish. No form says the gender of the reader.

use super::{Facts, Texts, Words};

pub(super) const WORDS: Words = Words {
    reset: Texts {
        subject: "Ustaw nowe hasło",
        before: &[
            "Cześć,",
            "ktoś, najpewniej ty, prosi o nowe hasło do twojego konta w Mellow. Ustawisz je, korzystając z tego \
             linku. Działa tylko raz, przez 30 minut.",
        ],
        act: "Ustaw nowe hasło",
        after: &[
            "Nowe hasło wylogowuje cię wszędzie. Jeśli ta prośba nie pochodzi od ciebie, możesz zignorować \
             tę wiadomość: bez linku nic się nie zmieni.",
        ],
    },
    confirm: Texts {
        subject: "Potwierdź nowy adres e-mail",
        before: &[
            "Cześć,",
            "ktoś, najpewniej ty, chce używać tego adresu do konta w Mellow. Potwierdzisz go, korzystając z \
             tego linku. Działa tylko raz, przez 24 godziny.",
        ],
        act: "Potwierdź ten adres",
        after: &[
            "Do tego czasu do logowania służy stary adres. Jeśli nie wiesz, o co chodzi, możesz zignorować \
             tę wiadomość: bez linku nic się nie zmieni.",
        ],
    },
    notice: Texts {
        subject: "Twój adres e-mail ma się zmienić",
        before: &[
            "Cześć,",
            "ktoś, najpewniej ty, prosi o zmianę adresu e-mail twojego konta w Mellow na inny. Zmieni się on, \
             gdy nowy adres zostanie potwierdzony. Jeśli to twoja prośba, nie musisz nic robić.",
            "Jeśli nie, ten link zachowa twój dotychczasowy adres. Działa tylko raz, przez 72 godziny, także \
             po zmianie.",
        ],
        act: "Zachowaj mój stary adres",
        after: &[
            "Potem ustaw, proszę, nowe hasło: „Nie pamiętasz hasła?” na stronie logowania wyśle ci potrzebny \
             link.",
        ],
    },
    made: Texts {
        subject: "Powstał dla ciebie link do nowego hasła",
        before: &[
            "Cześć,",
            "osoba prowadząca to Mellow ma dla ciebie link, którym ustawia się nowe hasło do twojego konta, i \
             przekaże ci go. Działa tylko raz, przez 30 minut. Ta wiadomość go nie zawiera.",
        ],
        act: "Otwórz Mellow",
        after: &[
            "Nowe hasło wylogowuje cię wszędzie. Jeśli nie wiesz, o co chodzi, zapytaj osobę prowadzącą to \
             Mellow. „Nie pamiętasz hasła?” na stronie logowania wyśle ci twój własny link, a tamten przestanie \
             działać.",
        ],
    },
    login: Texts {
        subject: "Nowe logowanie na twoje konto",
        before: &[
            "Cześć,",
            "na twoje konto w Mellow zalogowała się przeglądarka, której to konto dotąd nie znało.",
        ],
        act: "Otwórz ustawienia",
        after: &["Jeśli to twoje logowanie, nie musisz nic robić. Jeśli nie, ustaw, proszę, nowe hasło w \
             ustawieniach. Wylogowuje cię ono wszędzie."],
    },
    passkey_added: Texts {
        subject: "Do twojego konta dodano klucz dostępu",
        before: &[
            "Cześć,",
            "do twojego konta w Mellow dodano klucz dostępu. Pozwala on zalogować się bez hasła.",
        ],
        act: "Otwórz ustawienia",
        after: &[
            "Jeśli to twój klucz, nie musisz nic robić. Jeśli nie, usuń, proszę, ten klucz w ustawieniach \
             i ustaw tam nowe hasło. Wylogowuje cię ono wszędzie.",
        ],
    },
    passkey_removed: Texts {
        subject: "Z twojego konta usunięto klucz dostępu",
        before: &[
            "Cześć,",
            "z twojego konta w Mellow usunięto klucz dostępu. Nikt już się nim nie zaloguje.",
        ],
        act: "Otwórz ustawienia",
        after: &[
            "Jeśli to zmiana twoja albo na twoją prośbę, nie musisz nic robić. Jeśli nie, ustaw, proszę, \
             nowe hasło w ustawieniach. Wylogowuje cię ono wszędzie.",
        ],
    },
    facts: Facts {
        device: "Urządzenie",
        browser: "Przeglądarka",
        on: [" w systemie ", ""],
        time: "Czas",
        moment: "%d.%m.%Y, %H:%M",
    },
    colon: ":",
};
