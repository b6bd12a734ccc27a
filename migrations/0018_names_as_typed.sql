-- The folded names are filled anew at the next start. Each letter is folded by itself from now on, and without accents,
-- so that a name is found at every letter that somebody types of it.
update users set name_key = null;
