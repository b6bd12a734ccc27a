//! The words of a post in HTML, as plain text.
//!
//! Paragraphs become blank lines, and the address of a link is kept whole. What is invisible or shortened on a page is so
//! by its style alone, so its words are read like all others. Each byte is read once, so no page takes long.

/// Longest name of a character between `&` and `;`, in bytes.
const NAME_BYTES_MAX: usize = 32;

/// The names of characters that people's programs write. Others stay as they are written.
const NAMED: [(&str, char); 22] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{A0}'),
    ("shy", '\u{AD}'),
    ("zwj", '\u{200D}'),
    ("zwnj", '\u{200C}'),
    ("hellip", '…'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("middot", '·'),
    ("bull", '•'),
    ("euro", '€'),
    ("times", '×'),
];

/// Returns the words of a page.
#[must_use]
pub fn text(html: &str) -> String {
    let mut page = Page::default();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        page.write(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('<') {
            rest = page.markup(rest);
        } else {
            let (c, behind) = character(rest);
            page.put(c);
            rest = behind;
        }
    }
    page.write(rest);
    page.text
}

/// What was read of a page.
#[derive(Default)]
struct Page {
    text: String,
    /// Line breaks before the next character.
    breaks: usize,
    /// Whether there is a space before the next character.
    has_space: bool,
    /// Whether spaces and line breaks are as they were typed.
    is_typed: bool,
    /// The address of the link that is being read, and where its words begin in the text.
    link: Option<(String, usize)>,
}

impl Page {
    fn write(&mut self, words: &str) {
        for c in words.chars() {
            self.put(c);
        }
    }

    fn put(&mut self, c: char) {
        match c {
            '\n' if self.is_typed => self.breaks += 1,
            c if c.is_ascii_whitespace() && !self.is_typed => self.has_space = true,
            c => {
                if !self.text.is_empty() {
                    // A text has at most two blank lines in a row.
                    self.text.extend(std::iter::repeat_n('\n', self.breaks.min(3)));
                    if self.has_space && self.breaks == 0 {
                        self.text.push(' ');
                    }
                }
                (self.breaks, self.has_space) = (0, false);
                self.text.push(c);
            }
        }
    }

    /// Reads the tag or the comment with which HTML begins. Returns what is behind it. Without an end it has all the
    /// rest.
    fn markup<'a>(&mut self, html: &'a str) -> &'a str {
        if let Some(comment) = html.strip_prefix("<!--") {
            return comment.split_once("-->").map_or("", |(_, behind)| behind);
        }
        let inner = &html[1..];
        if !inner.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            self.put('<');
            return inner;
        }
        let Some(end) = end_of_tag(inner) else { return "" };
        let (tag, behind) = (&inner[..end], &inner[end + 1..]);
        let (is_end, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "br" => self.breaks += 1,
            "li" | "tr" => self.breaks = self.breaks.max(1),
            "pre" => {
                self.breaks = self.breaks.max(2);
                self.is_typed = !is_end;
            }
            "p" | "div" | "blockquote" | "ul" | "ol" | "table" | "hr" | "h1" | "h2" | "h3" | "h4" | "h5"
            | "h6" => self.breaks = self.breaks.max(2),
            "a" if is_end => self.end_link(),
            "a" => self.link = address(tag).map(|address| (address, self.text.len())),
            // These have no words for people.
            "script" | "style" if !is_end => return behind.find("</").map_or("", |at| &behind[at..]),
            _ => {}
        }
        behind
    }

    /// Ends a link. Its address is written behind it, unless it is in its words.
    fn end_link(&mut self) {
        let Some((address, begins_at)) = self.link.take() else { return };
        if !self.text[begins_at..].contains(&address) {
            self.write(" (");
            self.write(&address);
            self.put(')');
        }
    }
}

/// Returns where a tag ends. A `>` between quotes is no end.
fn end_of_tag(inner: &str) -> Option<usize> {
    let mut quote = None;
    inner.bytes().position(|byte| {
        match quote {
            Some(open) if byte == open => quote = None,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            _ => {}
        }
        quote.is_none() && byte == b'>'
    })
}

/// Returns the address of a link; None if the link is a mention or a tag, or leads to no page.
fn address(tag: &str) -> Option<String> {
    let (mut href, mut class) = ("", "");
    for (name, value) in Attributes(tag) {
        match name.to_ascii_lowercase().as_str() {
            "href" => href = value,
            "class" => class = value,
            _ => {}
        }
    }
    let is_name = class.split_ascii_whitespace().any(|class| matches!(class, "mention" | "hashtag"));
    let mut address = String::with_capacity(href.len());
    while !href.is_empty() {
        let (c, behind) = character(href);
        address.push(c);
        href = behind;
    }
    let is_page = address.starts_with("https://") || address.starts_with("http://");
    (is_page && !is_name).then_some(address)
}

/// Reads the first character of a text that is not empty, which may be written by its name or number. Returns what is
/// behind it.
fn character(text: &str) -> (char, &str) {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or_default();
    let end = text.bytes().take(NAME_BYTES_MAX).position(|byte| byte == b';');
    let found = end.filter(|_| first == '&').and_then(|end| Some((named(&text[1..end])?, &text[end + 1..])));
    found.unwrap_or((first, chars.as_str()))
}

/// Returns the character with a name or number; None if there is none.
fn named(name: &str) -> Option<char> {
    let Some(number) = name.strip_prefix('#') else {
        return NAMED.iter().find(|(known, _)| *known == name).map(|(_, c)| *c);
    };
    let number = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    Some(char::from_u32(number.ok()?).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// The attributes of a tag, with their names as they are written, and the name of the tag before them.
struct Attributes<'a>(&'a str);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let is_between = |c: char| c.is_ascii_whitespace() || c == '/';
        let rest = self.0.trim_start_matches(is_between);
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| is_between(c) || c == '=').unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        let Some(value) = rest.trim_ascii_start().strip_prefix('=') else {
            self.0 = rest;
            return Some((name, ""));
        };
        let value = value.trim_ascii_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, rest) = match quote {
            Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            None => value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len())),
        };
        self.0 = rest;
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_become_blank_lines_and_breaks_become_lines() {
        for (html, plain) in [
            ("<p>Tea, and mist.</p>", "Tea, and mist."),
            ("<p>One</p><p>Two<br>Three<br />Four</p>\n<p>Five</p>", "One\n\nTwo\nThree\nFour\n\nFive"),
            ("One<br><br>Two", "One\n\nTwo"),
            ("<p>One</p>\n\n  <p>\n Two \n words</p>", "One\n\nTwo words"),
            ("<ul><li>Tea</li><li>Bread</li></ul><p>Enough</p>", "Tea\nBread\n\nEnough"),
            ("<pre><code>if tea {\n    rest();\n}</code></pre>", "if tea {\n    rest();\n}"),
            ("<P>Loud</P><BR/><p>Quiet", "Loud\n\n\nQuiet"),
            ("", ""),
            ("<p></p>", ""),
        ] {
            assert_eq!(text(html), plain, "{html}");
        }
    }

    #[test]
    fn the_address_of_a_link_is_whole() {
        let shortened = "<p>See <a href=\"https://www.example.org/a/very/long/path?b=1&amp;c=2\" target=\"_blank\">\
                         <span class=\"invisible\">https://www.</span>\
                         <span class=\"ellipsis\">example.org/a/very/long/path?b</span>\
                         <span class=\"invisible\">=1&amp;c=2</span></a> today</p>";
        assert_eq!(text(shortened), "See https://www.example.org/a/very/long/path?b=1&c=2 today");
        for (html, plain) in [
            ("<a href='https://example.org/'>my page</a>.", "my page (https://example.org/)."),
            ("<a href=https://example.org/ rel=me>example.org/…</a>", "example.org/… (https://example.org/)"),
            ("<a class href=\"javascript:alert(1)\">press</a>", "press"),
            ("<a name=\"top\">top</a></a>", "top"),
            ("<a href=\"https://example.org/\">never ends", "never ends"),
        ] {
            assert_eq!(text(html), plain, "{html}");
        }
    }

    #[test]
    fn mentions_and_tags_are_plain_words() {
        let html = "<p><span class=\"h-card\"><a href=\"https://example.org/@ben\" class=\"u-url mention\">\
                    @<span>ben</span></a></span> drinks <a href=\"https://example.org/tags/tea\" \
                    class=\"mention hashtag\" rel=\"tag\">#<span>tea</span></a></p>";
        assert_eq!(text(html), "@ben drinks #tea");
    }

    #[test]
    fn characters_have_names_and_numbers() {
        for (html, plain) in [
            ("&lt;p&gt; &amp;amp; &quot;a&quot; &#39;b&#39; &#x1F33F;", "<p> &amp; \"a\" 'b' 🌿"),
            ("tea&nbsp;time&hellip;", "tea\u{A0}time…"),
            ("R&D; &nosuch; &; &#; &#xZ; & co", "R&D; &nosuch; &; &#; &#xZ; & co"),
            ("&#0;&#xD800;&#x110000;&#99999999999;", "\0\u{FFFD}\u{FFFD}&#99999999999;"),
            ("&ampamp", "&ampamp"),
        ] {
            assert_eq!(text(html), plain, "{html}");
        }
    }

    #[test]
    fn odd_markup_is_read_to_its_end() {
        for (html, plain) in [
            ("1 < 2 <3 <", "1 < 2 <3 <"),
            ("a<!-- <p>hidden</p> -->b", "ab"),
            ("a<!-- never ends", "a"),
            ("a<img alt=\"1 > 0\" src=x>b", "ab"),
            ("a<p class=\"never ends", "a"),
            ("<script>alert('<p>')</script>a<style>p { }</style>b", "ab"),
            ("<?php x ?>a<!doctype html>b", "ab"),
            ("</p></p>a</", "a"),
            ("<a =x ==y href>b</a>", "b"),
        ] {
            assert_eq!(text(html), plain, "{html}");
        }
    }

    #[test]
    fn a_page_of_beginnings_is_read_once() {
        for part in ["<a ", "<a href='", "&", "&#", "<!--", "<p>", "<a href=\"https://example.org\">"] {
            let began = std::time::Instant::now();
            let _ = text(&part.repeat(256 * 1024 / part.len()));
            assert!(began.elapsed() < std::time::Duration::from_secs(5), "{part}");
        }
    }

    #[test]
    fn lv6_the_words_of_a_page_are_never_longer_than_it() {
        let valid = [
            "<p>One<br />two &amp; <a href=\"https://example.org/\" class=\"x\"><span>https://</span>example.org/</a></p>",
            "<pre>a\n b</pre><!-- c --><script>d</script>&#x1F33F;&hellip;",
            "<a href='http://a'>b</a>",
        ];
        crate::testing::fuzz::text(&valid, |html| {
            assert!(text(html).len() <= 2 * html.len(), "{html}");
        });
    }
}
