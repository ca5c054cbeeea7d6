// <a data-key="ArrowRight"> follows the link on that key, unless the focus is in something that
// scrolls or takes text.
(() => {
  "use strict";
  const TAKES_KEYS = "input, select, textarea, summary, [tabindex]:not(#main)";
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest(TAKES_KEYS)) return;
    document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`)?.click();
  });
})();
