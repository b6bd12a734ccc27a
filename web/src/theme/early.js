// Runs before the first paint, in the page's head: the chosen look (ui/look.ts), and, where somebody is
// signed in, word to the browser that the files of the first screen will be wanted at once. The build
// (build/early.ts) puts their names here.
(function () {
  const root = document.documentElement;
  const ahead = [];
  try {
    const known = { theme: ["light", "dark"], motion: ["full", "reduced"] };
    for (const name of Object.keys(known)) {
      const value = localStorage.getItem("mellow." + name);
      if (known[name].includes(value)) root.dataset[name] = value;
    }
    if (!/^\d+$/u.test(localStorage.getItem("mellow.signed-in") ?? "")) return;
    for (const file of ahead) {
      const link = document.createElement("link");
      const isStyle = file.endsWith(".css");
      link.rel = isStyle ? "preload" : "modulepreload";
      link.as = isStyle ? "style" : "script";
      link.crossOrigin = "";
      link.href = file;
      document.head.append(link);
    }
  } catch {
    // Without storage the device decides, and whoever comes is a guest.
  }
})();
