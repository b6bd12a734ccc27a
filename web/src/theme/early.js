// Runs in the head of the page, before the first paint and before any module, in the language of old browsers. In a
// browser that cannot run Mellow it shows a page that says so, in place of the app. Otherwise it applies the chosen
// appearance (ui/appearance.ts) and preloads the files of the first screen, for a guest or for a signed-in user. The
// build (build/early.ts) inserts the names of the files and the oldest browsers.
(function () {
  var root = document.documentElement;
  var guest = [];
  var member = [];
  var floor = "";
  var languages = [];

  // Each browser below the floor lacks one of these (floor.test.ts).
  var isNew =
    window.Intl &&
    Intl.Segmenter &&
    String.prototype.toWellFormed &&
    window.CSS &&
    CSS.supports &&
    CSS.supports("color", "light-dark(#000, #fff)");
  if (!isNew) {
    document.title = "Mellow";
    // The last element takes the rest of the page as its text, so the app is neither fetched nor run.
    var page =
      '<meta name="viewport" content="width=device-width, initial-scale=1"><main lang="en" dir="ltr"><h1>Mellow needs a newer browser</h1>' +
      "<p>It works in " +
      floor +
      ", and in newer ones. Please update your browser, or open Mellow in another one.</p></main><plaintext hidden>";
    document.write(page);
    return;
  }

  function preload(kind, file) {
    var link = document.createElement("link");
    link.rel = kind === "script" ? "modulepreload" : "preload";
    link.as = kind;
    link.crossOrigin = "";
    link.href = file;
    document.head.appendChild(link);
  }

  // The first of the browser's languages that Mellow has, exactly or by its first part; else the host's.
  // src/languages.ts reads it, and may have another choice.
  var tags = languages.concat(Object.keys(JSON.parse(root.dataset.languages || "{}")));
  root.dataset.language =
    navigator.languages.reduce(function (found, wanted) {
      var exact = tags.filter(function (tag) {
        return tag.toLowerCase() === wanted.toLowerCase();
      });
      var near = tags.filter(function (tag) {
        return tag.split("-")[0] === wanted.split("-")[0].toLowerCase();
      });
      return found || exact[0] || near[0] || "";
    }, "") ||
    root.lang ||
    "en";

  // Shows the page in a language, whose file is fetched before the app asks for it.
  function speak(tag) {
    root.lang = tag;
    if (/^(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)(-|$)/.test(tag)) root.dir = "rtl";
    if (tag !== "en") preload("fetch", "/languages/" + tag + ".json");
  }

  try {
    var known = { theme: ["light", "dark"], motion: ["full", "reduced"] };
    for (var name in known) {
      var value = localStorage.getItem("mellow." + name);
      if (known[name].indexOf(value) !== -1) root.dataset[name] = value;
    }
    var chosen = localStorage.getItem("mellow.language.account") || localStorage.getItem("mellow.language");
    speak(/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(chosen) ? chosen : root.dataset.language);
    var isMember = /(^|; )(__Host-)?mellow-user=\d/.test(document.cookie);
    // The first blocks leave room for the navigation (app/Layout.tsx).
    if (isMember) root.dataset.bar = "";
    // Nothing but itself is loaded on the page to which people step away (app/paths.ts).
    var files = !isMember ? guest : /^\/away\/?$/i.test(location.pathname) ? [] : member;
    for (var at = 0; at < files.length; at += 1) {
      preload(files[at].endsWith(".css") ? "style" : "script", files[at]);
    }
    // Old browsers cannot read a `catch` without a name.
    // oxlint-disable-next-line no-unused-vars
  } catch (_refused) {
    // Without storage the device's settings apply, and everybody counts as a guest. Files for signed-in users
    // then load a little later.
    speak(root.dataset.language);
  }
})();
