// Runs before the first paint, in the page's head: the chosen look (ui/look.ts), and word to the browser
// that the files of the first screen will be wanted at once: a guest's, or a signed-in person's. The build
// (build/early.ts) puts their names here.
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
    // Without storage the device decides, and whoever comes is a guest whose files come a little later.
  }
})();
