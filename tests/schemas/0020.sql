update users set language = 'pt-BR' where id = 101;
update users set shown_language = 'de' where id = 103;
