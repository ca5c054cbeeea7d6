// Live parts: <div id="..." data-live hx-get="..." hx-trigger="every 3s, live" hx-swap="outerHTML">
// Polling pauses while the tab is hidden and resumes at once when it is shown.
// An open <details id="..."> inside stays open, and the focus is kept; one in a part that is sent along
// (hx-swap-oob) stays with all that was entered in it.
// While the server does not answer, <... data-live-stale hidden> inside is shown.
// To end the polling, the server sends a part without hx-trigger, or status 286.
(() => {
  "use strict";
  const live = (event) => event.detail.elt.closest?.("[data-live]");
  let opened = [];
  let focused = "";

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (live(event) && document.hidden) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    for (const part of document.querySelectorAll("[data-live]")) htmx.trigger(part, "live");
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    const part = live(event);
    if (!part) return;
    opened = [...part.querySelectorAll("details[id][open]")].map((one) => one.id);
    focused = part.contains(document.activeElement) ? document.activeElement.id : "";
  });
  document.addEventListener("htmx:afterSettle", () => {
    for (const id of opened) {
      const details = document.getElementById(id);
      if (details) details.open = true;
    }
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    opened = [];
    focused = "";
  });

  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target, fragment } = event.detail;
    for (const { id } of target.querySelectorAll("details[id][open]")) {
      fragment.querySelector(`#${id}`)?.setAttribute("hx-preserve", "");
    }
  });

  function stale(event, hidden) {
    const notice = live(event)?.querySelector("[data-live-stale]");
    if (notice) notice.hidden = hidden;
  }
  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
    document.addEventListener(name, (event) => stale(event, false));
  }
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    if (event.detail.xhr.status < 400) stale(event, true);
  });
})();
