-- The language of Mellow's words and mails, as its tag (BCP 47). Null: that of each device.
alter table users add column language text check (length(language) between 2 and 12);
-- The language that the account's client showed last, for mails alone. Null: it never said.
alter table users add column shown_language text check (length(shown_language) between 2 and 12);
