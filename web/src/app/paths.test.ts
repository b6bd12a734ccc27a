import { expect, test } from "vitest";
import { idOf, isAway, logInPath, safeNext, nextOf, withNext } from "./paths";

const next = (path: string | null): string => safeNext(path, "https://mellow.example");

test("a log-in leads back to the wanted page of this site", () => {
  expect(next("/post/7?x=1")).toBe("/post/7?x=1");
  expect(next("/?tag=tea%20time")).toBe("/?tag=tea%20time");
  expect(next(null)).toBe("/");
});

test("a log-in never leads to another site, however its address is written", () => {
  for (const path of [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "evil",
    "/.//evil.example",
  ])
    expect(next(path)).toBe("/");
});

test("a log-in never leads to an account page", () => {
  expect(next("/login?next=/search")).toBe("/");
  for (const path of ["/signup", "/forgot", "/reset", "/verify?x#y", "/reset/#t", "/Login", "/away"])
    expect(next(path)).toBe("/");
});

test("the login page's address contains the wanted page", () => {
  expect(logInPath("/create-post?tag=a b")).toBe("/login?next=%2Fcreate-post%3Ftag%3Da%20b");
});

test("moving between account pages keeps the wanted page", () => {
  expect(withNext("/signup", "/post/7")).toBe("/signup?next=%2Fpost%2F7");
  expect(withNext("/login", "/")).toBe("/login");
});

test("the wanted page is the current page, or the one in the address of an account page", () => {
  expect(nextOf("/post/7", "")).toBe("/post/7");
  expect(nextOf("/", "tag=tea")).toBe("/?tag=tea");
  expect(nextOf("/login", "next=%2Fpost%2F7")).toBe("/post/7");
  expect(nextOf("/forgot", "next=https%3A%2F%2Fevil.example")).toBe("/");
  expect(nextOf("/verify", "")).toBe("/");
});

test("the page to which people step away is the one that the router shows", () => {
  for (const path of ["/away", "/away/", "/Away"]) expect(isAway(path)).toBe(true);
  for (const path of ["/", "/away/x", "/awayx", "/post/away"]) expect(isAway(path)).toBe(false);
  history.replaceState(null, "", "/away");
  expect(isAway()).toBe(true);
  history.replaceState(null, "", "/");
  expect(isAway()).toBe(false);
});

test("an id is a whole number below 2^53, and nothing else is", () => {
  expect(idOf("42")).toBe(42);
  for (const text of ["0", "-1", "1.5", "1e3", "9007199254740993", "abc", "", undefined])
    expect(idOf(text)).toBeNull();
});
