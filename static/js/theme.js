// Runs before the first paint and applies the stored theme, so that no page flashes.
// Marks the root with data-script; without it, base.css hides elements that need a script.
// Sends "themechange" to the document on each change between light and dark.
(() => {
  "use strict";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const tell = () => document.dispatchEvent(new CustomEvent("themechange"));

  function kept() {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // without storage, the system's theme applies
    }
  }

  function keep(theme) {
    try {
      if (theme) localStorage.setItem("theme", theme);
      else localStorage.removeItem("theme");
    } catch {
      // Without storage, the choice applies to this page only.
    }
  }

  function apply(theme) {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  }

  // After the system's theme comes the opposite one, so that every click has a visible effect.
  function next(theme) {
    const [same, other] = system.matches ? ["dark", "light"] : ["light", "dark"];
    if (!theme) return other;
    return theme === other ? same : null;
  }

  root.dataset.script = "";
  apply(kept());
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-button]")) return;
    const theme = next(root.dataset.theme);
    apply(theme);
    keep(theme);
    tell();
  });
  system.addEventListener("change", tell);
  addEventListener("storage", (event) => {
    if (event.key !== "theme") return;
    apply(event.newValue);
    tell();
  });
})();
