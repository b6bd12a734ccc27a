-- The private key of this passkey is 32 bytes of 0x19, and its next signature is the eighth.
insert into passkeys (id, user_id, name, host, handle, credential_id, credential, added_at_ms, used_at_ms) values
    (2501, 101, 'Laptop', 'localhost', x'26262626262626262626262626262626',
     x'2525252525252525252525252525252525252525252525252525252525252525',
     '{"id":"JSUlJSUlJSUlJSUlJSUlJSUlJSUlJSUlJSUlJSUlJSU","handle":"JiYmJiYmJiYmJiYmJiYmJg","key":"ARJQvKVLtoOfEjYb2WFeC9DDsIKkRx0SQa6BgLxVEVbBAAAA","state":"AQAHAAAAAA"}',
     1772355000002, 1772355000003);
