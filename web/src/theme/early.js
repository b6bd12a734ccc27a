// Runs in the head of the page, before the first paint. It applies the chosen appearance (ui/appearance.ts)
// and preloads the files of the first screen, for a guest or for a signed-in user. The build (build/early.ts)
// inserts the names of the files.
(function () {
  const root = document.documentElement;
  const guest = [];
  const member = [];
  try {
    const known = { theme: ["light", "dark"], motion: ["full", "reduced"] };
    for (const name of Object.keys(known)) {
      const value = localStorage.getItem("mellow." + name);
      if (known[name].includes(value)) root.dataset[name] = value;
    }
    const isMember = /^\d+$/u.test(localStorage.getItem("mellow.signed-in") ?? "");
    for (const file of isMember ? member : guest) {
      const link = document.createElement("link");
      const isStyle = file.endsWith(".css");
      link.rel = isStyle ? "preload" : "modulepreload";
      link.as = isStyle ? "style" : "script";
      link.crossOrigin = "";
      link.href = file;
      document.head.append(link);
    }
  } catch {
    // Without storage the device's settings apply, and everybody counts as a guest. Files for signed-in users
    // then load a little later.
  }
})();
