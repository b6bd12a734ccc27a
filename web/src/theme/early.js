// Runs in the head of the page, before the first paint and before any module, in the language of old browsers. In a
// browser that cannot run Mellow it shows a page that says so, in place of the app. Otherwise it applies the chosen
// appearance (ui/appearance.ts) and preloads the files of the first screen, for a guest or for a signed-in user. The
// build (build/early.ts) inserts the names of the files and the oldest browsers.
(function () {
  var root = document.documentElement;
  var guest = [];
  var member = [];
  var floor = "";

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
      '<meta name="viewport" content="width=device-width, initial-scale=1"><main><h1>Mellow needs a newer browser</h1>' +
      "<p>It works in " +
      floor +
      ", and in newer ones. Please update your browser, or open Mellow in another one.</p></main><plaintext hidden>";
    document.write(page);
    return;
  }

  try {
    var known = { theme: ["light", "dark"], motion: ["full", "reduced"] };
    for (var name in known) {
      var value = localStorage.getItem("mellow." + name);
      if (known[name].indexOf(value) !== -1) root.dataset[name] = value;
    }
    var isMember = /(^|; )(__Host-)?mellow-user=\d/.test(document.cookie);
    // The first blocks leave room for the navigation (app/Layout.tsx).
    if (isMember) root.dataset.bar = "";
    var files = isMember ? member : guest;
    for (var at = 0; at < files.length; at += 1) {
      var link = document.createElement("link");
      var isStyle = files[at].endsWith(".css");
      link.rel = isStyle ? "preload" : "modulepreload";
      link.as = isStyle ? "style" : "script";
      link.crossOrigin = "";
      link.href = files[at];
      document.head.appendChild(link);
    }
    // Old browsers cannot read a `catch` without a name.
    // oxlint-disable-next-line no-unused-vars
  } catch (_refused) {
    // Without storage the device's settings apply, and everybody counts as a guest. Files for signed-in users
    // then load a little later.
  }
})();
