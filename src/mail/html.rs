//! The HTML of a mail: warm colours, one button, readable without pictures and in dark mode, from left to right or from
//! right to left.

use super::words::{MailText, wrap};
use crate::text::escape_html;

/// Colours of the light mode, inline, because many mail readers support nothing else.
const PAGE: &str = "margin:0;padding:0;background:#FAF6F0;";
const CARD: &str = "max-width:480px;margin:0 auto;padding:32px 28px;background:#FFFDF9;border:1px solid #DDD2C4;\
    border-radius:16px;";
const TITLE: &str = "margin:0 0 20px;font:600 24px/1.25 Fraunces,Georgia,serif;color:#2C2621;";
const WORDS: &str = "margin:0 0 16px;font:400 16px/1.55 Figtree,system-ui,-apple-system,'Segoe UI',sans-serif;\
    color:#2C2621;overflow-wrap:anywhere;";
const BUTTON: &str = "display:inline-block;padding:12px 22px;border-radius:999px;background:#2F6A5C;color:#FFFFFF;\
    font:600 16px/1.25 Figtree,system-ui,-apple-system,'Segoe UI',sans-serif;text-decoration:none;";
const QUIET: &str = "margin:0 0 20px;font:400 13px/1.5 Figtree,system-ui,-apple-system,'Segoe UI',sans-serif;\
    color:#655B50;overflow-wrap:anywhere;word-break:break-all;";
const NAME: &str = "margin:24px 0 0;font:400 16px/1.5 Fraunces,Georgia,serif;color:#655B50;";

/// Colours of the dark mode.
const DARK: &str = "@media (prefers-color-scheme: dark) {
.page { background: #1A1714 !important; }
.card { background: #24201C !important; border-color: #3B342D !important; }
.words { color: #F2EAE0 !important; }
.quiet { color: #B9AD9F !important; }
.button { background: #8FCBB8 !important; color: #0F211B !important; }
}";

/// Returns the mail as HTML, in ASCII and short lines, so that it travels as it is and its link stays whole.
pub fn html(words: &MailText) -> String {
    // The end of a line is shown as a space, which a language without spaces has only room for after a full stop.
    let lines = |text: &str| match words.language.has_spaces() {
        true => wrap(text),
        false => text.replace('。', "。\n"),
    };
    let paragraph =
        |text: &&str| format!("<p class=\"words\" style=\"{WORDS}\">\n{}</p>\n", escaped(&lines(text)));
    let before: String = words.before.iter().map(paragraph).collect();
    let facts: String = words.facts.iter().map(|fact| paragraph(&fact.as_str())).collect();
    let after: String = words.after.iter().map(paragraph).collect();
    let (title, act, link) = (escaped(words.subject), escaped(words.act), escaped(&words.link));
    // Many mail readers leave out the `html` element, so the card has its language and direction too. The link itself is
    // from left to right in every language.
    let lang = words.language.word();
    let (dir, link_dir, align) = if words.language.is_from_right() {
        (" dir=\"rtl\"", " dir=\"ltr\"", "right")
    } else {
        ("", "", "left")
    };
    format!(
        "<!doctype html>
<html lang=\"{lang}\"{dir}>
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<meta name=\"supported-color-schemes\" content=\"light dark\">
<title>{title}</title>
<style>
{DARK}
</style>
</head>
<body class=\"page\" style=\"{PAGE}\">
<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\">
<tr><td align=\"center\" style=\"padding:32px 16px;\">
<div class=\"card\" lang=\"{lang}\"{dir} style=\"{CARD}text-align:{align};\">
<h1 class=\"words\" style=\"{TITLE}\">{title}</h1>
{before}{facts}<p style=\"margin:24px 0 14px;\">
<a class=\"button\" style=\"{BUTTON}\" href=\"{link}\">{act}</a>
</p>
<p class=\"quiet\"{link_dir} style=\"{QUIET}\">{link}</p>
{after}<p class=\"quiet\" style=\"{NAME}\">Mellow</p>
</div>
</td></tr>
</table>
</body>
</html>
"
    )
}

/// Escapes a text for HTML, and writes characters outside ASCII as their numbers.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in escape_html(text).chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            out.push_str(&format!("&#{};", u32::from(c)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::words::words;
    use super::*;
    use crate::languages::Own;

    /// Extracts the text of a page, for tests.
    fn said(html: &str) -> Vec<String> {
        let body = html.split_once("<body").unwrap().1;
        let mut text = String::new();
        let mut is_mark = true;
        for c in body.chars() {
            match c {
                '<' => is_mark = true,
                '>' => {
                    is_mark = false;
                    text.push(' ');
                }
                c if !is_mark => text.push(c),
                _ => {}
            }
        }
        let text = text.replace("&quot;", "\"").replace("&amp;", "&");
        let mut pieces = text.split("&#");
        let mut text = pieces.next().unwrap().to_owned();
        for piece in pieces {
            let (number, rest) = piece.split_once(';').unwrap();
            text.push(char::from_u32(number.parse().unwrap()).unwrap());
            text.push_str(rest);
        }
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_html_has_the_words_of_the_plain_text() {
        for language in Own::ALL {
            for kind in Kind::ALL {
                let mut words = words(language, kind, "https://mellow.example.org", "token");
                words.facts = vec!["Firefox on Linux".into()];
                let text = words.text().replace(&format!("{}{}\n", words.act, words.colon), words.act);
                let text: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
                let page = html(&words);
                assert!(page.is_ascii(), "{page}");
                // Lines of plain Japanese end within words.
                match language {
                    Own::Japanese => assert_eq!(said(&page).concat(), text.concat()),
                    _ => assert_eq!(said(&page), text),
                }
            }
        }
    }

    #[test]
    fn the_html_has_its_language_and_direction() {
        let page = |language| html(&words(language, Kind::Reset, "https://mellow.example.org", "token"));
        for (language, element) in [
            (Own::English, "<html lang=\"en\">"),
            (Own::Portuguese, "<html lang=\"pt-BR\">"),
            (Own::Arabic, "<html lang=\"ar\" dir=\"rtl\">"),
        ] {
            let page = page(language);
            assert!(page.contains(element), "{page}");
            let (_, attributes) = element.split_once(' ').unwrap();
            let card = format!("<div class=\"card\" {} style", attributes.trim_end_matches('>'));
            assert!(page.contains(&card), "{page}");
            let is_from_right = language == Own::Arabic;
            assert_eq!(page.matches("dir=\"").count(), if is_from_right { 3 } else { 0 });
            assert_eq!(page.contains("text-align:right;"), is_from_right);
            assert_eq!(page.contains("text-align:left;"), !is_from_right);
        }
    }

    #[test]
    fn a_text_is_never_markup() {
        let nasty = "\"><img src=x onerror=alert(1)>&'\u{fc}@x.example";
        let page = html(&words(Own::English, Kind::Notice, nasty, "token"));
        assert!(page.contains("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;&#39;&#252;@x.example"));
        assert!(!page.contains("<img") && page.is_ascii());
    }
}
