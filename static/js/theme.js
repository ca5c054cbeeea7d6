// Runs before the first paint: applies the kept theme, so that no page flashes in the other one.
// Marks the root with data-script; what needs a script is hidden without it (base.css).
// Sends "themechange" to the document whenever light and dark change places.
(() => {
  "use strict";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const tell = () => document.dispatchEvent(new CustomEvent("themechange"));

  function kept() {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage may be forbidden: then the system's theme it is
    }
  }

  function keep(theme) {
    try {
      if (theme) localStorage.setItem("theme", theme);
      else localStorage.removeItem("theme");
    } catch {
      // The choice holds for this page.
    }
  }

  function apply(theme) {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  }

  // From the system's theme first to the other one, so that every press is seen to do something.
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
