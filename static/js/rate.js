// The rating page: keyboard shortcuts, the draft, and the seconds of work.
//
// <form data-rate data-draft="..." data-here="..." data-leave="..."> is an ordinary form and works
// without this. Without data-draft, as in the practice round, there are only the keys.
// The page posts to data-here while the rater is active, to data-leave on leaving.
// Every change is posted to data-draft, one request at a time. The answer's {version} is the
// draft's new version; 401 means signed out (the session keeps the draft), 404 that the item was
// removed from the campaign, 409 that another tab has saved the draft. [data-rate-state] shows the
// draft's state.
(() => {
  "use strict";
  const form = document.querySelector("form[data-rate]");
  if (!form) return;
  const scales = [...form.querySelectorAll("[data-scale]")];
  const save = form.querySelector("[data-save]");
  const skip = form.querySelector("[data-skip]");
  const state = document.querySelector("[data-rate-state]");
  const keys = document.querySelector("[data-keys]");
  const TYPING_MS = 500, AGAIN_MS = 5000, HERE_MS = 120000, BACK_MS = 3000, IDLE_MS = 60000;

  // --- Seconds of work: counted while the page is visible and there is recent input. ---
  let worked = 0;
  let lastDone = Date.now();
  for (const name of ["keydown", "pointerdown", "pointermove", "scroll"]) {
    addEventListener(name, () => (lastDone = Date.now()), { passive: true });
  }
  setInterval(() => {
    if (!document.hidden && Date.now() - lastDone < IDLE_MS) worked += 1;
  }, 1000);

  // --- The draft ---
  const drafts = "draft" in form.dataset;
  let dirty = false, sending = false, over = !drafts, timer = 0;
  let flight = Promise.resolve();

  const tell = (text) => (state.textContent = text ? ` · ${text}` : "");
  const token = () => /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];

  // Signing in in another tab changes the token; copy the current one into the form.
  function refreshToken() {
    const present = token();
    if (present) form.elements.csrfmiddlewaretoken.value = present;
  }

  function filled(seconds) {
    refreshToken();
    const data = new FormData(form);
    data.set("seconds", String(seconds));
    return data;
  }

  function post(address, body) {
    const headers = { "X-CSRFToken": token() ?? form.elements.csrfmiddlewaretoken.value };
    return fetch(address, { method: "POST", body, headers, keepalive: true });
  }

  function keep() {
    if (!dirty || sending || over) return;
    flight = send();
  }

  async function send() {
    dirty = false;
    sending = true;
    const seconds = worked;
    tell(form.dataset.saving);
    try {
      const answer = await post(form.dataset.draft, filled(seconds));
      if (answer.ok) {
        form.elements.version.value = (await answer.json()).version;
        worked -= seconds;
        tell(form.dataset.kept);
      } else if (answer.status === 401) {
        tell(form.dataset.signedOut);
      } else if (answer.status === 409) {
        over = true;
        tell(form.dataset.elsewhere);
      } else if (answer.status === 404) {
        over = true;
        tell(form.dataset.gone);
      } else {
        throw new Error(String(answer.status));
      }
    } catch {
      sending = false;
      dirty = true;
      tell(form.dataset.failed);
      keepIn(AGAIN_MS);
      return;
    }
    // The next request needs the new version, so send it only now.
    sending = false;
    if (dirty) keep();
  }

  function keepIn(milliseconds) {
    clearTimeout(timer);
    timer = setTimeout(keep, milliseconds);
  }

  // Fields without a name, such as the checkbox for keys, are not in the draft.
  form.addEventListener("change", (event) => {
    if (!event.target.name) return;
    dirty = true;
    keep();
  });
  form.addEventListener("input", () => {
    dirty = true;
    keepIn(TYPING_MS);
  });

  // Leaving the page returns the item at once and sends unsaved changes in the same request. A
  // saved or skipped item is not returned; if saving failed, the next page shows it again. There is
  // no time to wait for a pending answer, so predict its version: the current one plus 1.
  function leave() {
    if (over) return;
    let data = new FormData();
    if (dirty) {
      data = filled(worked);
      if (sending) data.set("version", String(Number(form.elements.version.value) + 1));
      dirty = false;
    }
    refreshToken();
    data.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    navigator.sendBeacon(form.dataset.leave, data);
  }
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) keep();
  });

  const stay = () => drafts && post(form.dataset.here, new FormData()).catch(() => {});
  setInterval(() => {
    if (!document.hidden && Date.now() - lastDone < HERE_MS) stay();
  }, HERE_MS);
  // A reload or return sent data-leave just before, so report the rater as active again; and once
  // more later, since the server may handle data-leave after the first report.
  function comeBack() {
    stay();
    setTimeout(stay, BACK_MS);
  }
  const [arrived] = performance.getEntriesByType("navigation");
  if (arrived && arrived.type !== "navigate") comeBack();

  // A draft must not arrive after the saved marks, or it would conflict with them.
  form.addEventListener("submit", (event) => {
    clearTimeout(timer);
    dirty = false;
    over = true;
    if (sending) {
      event.preventDefault();
      flight.finally(() => form.requestSubmit(event.submitter));
      return;
    }
    refreshToken();
    if (drafts) form.elements.seconds.value = String(worked);
  });
  // A page restored by the back button keeps drafts again.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    over = !drafts;
    comeBack();
  });

  // --- Keys ---
  const marked = (scale) => scale.querySelector("input:checked");
  const isMarked = (scale) => Boolean(marked(scale));
  let current = scales.find((scale) => !isMarked(scale)) ?? scales.at(-1);
  // The scale that a digit marked last, until the rater chooses another; and the scale that was
  // framed when its comment was opened.
  let justMarked = null, framedBefore = null;

  function frame(scale) {
    current = scale;
    for (const one of scales) one.toggleAttribute("data-current", one === scale);
  }

  function mark(value) {
    const input = current?.querySelector(`input[type=radio][value="${value}"]`);
    if (!input) return;
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    const markedScale = current;
    const next = scales[scales.indexOf(current) + 1];
    if (next) {
      focusOn(next);
      frame(next);
    } else {
      save.focus();
    }
    justMarked = markedScale;
  }

  function openComment() {
    const details = (justMarked ?? current)?.querySelector("[data-comment]");
    if (!details) return;
    const framed = current;
    details.open = true;
    details.querySelector("textarea").focus();
    framedBefore = framed;
  }

  const focusOn = (scale) => (marked(scale) ?? scale.querySelector("input[type=radio]")).focus();

  function leaveText(target) {
    const scale = framedBefore ?? target.closest("[data-scale]") ?? current;
    if (scale) focusOn(scale);
    if (skip) skip.open = false;
  }

  const choose = (number) => () => {
    if (scales[number]) focusOn(scales[number]);
  };
  const actions = {
    q: choose(0),
    w: choose(1),
    e: choose(2),
    b: () => form.querySelector("[data-back]")?.click(),
    c: openComment,
    s: () => {
      if (!skip) return;
      skip.open = true;
      skip.querySelector("textarea").focus();
    },
  };

  form.addEventListener("focusin", (event) => {
    const scale = event.target.closest("[data-scale]");
    if (scale) frame(scale);
    justMarked = framedBefore = null;
  });
  // A letter of another script is told by the place of its key.
  const letter = ({ key, code }) =>
    (/^[a-z]$/i.test(key) ? key : code.replace("Key", "")).toLowerCase();
  // Captured, so that Escape closes Skip before menu.js moves the focus to its button.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { target, key } = event;
    const typing = target.matches("textarea");
    if (key === "Escape" && (typing || (keys.checked && skip?.open))) leaveText(target);
    if (key === "Enter" && !event.shiftKey && target.closest("[data-skip]") && typing) {
      event.preventDefault();
      form.requestSubmit(skip.querySelector("[data-skip-send]"));
    }
    if (typing || !keys.checked) return;
    if (/^[1-9]$/.test(key)) mark(key);
    else if (key === "Enter" && !target.closest("a, button, summary")) form.requestSubmit(save);
    else if (Object.hasOwn(actions, letter(event))) actions[letter(event)]();
    else return;
    event.preventDefault();
  }, true);

  // Users of voice control or screen readers may need the letter keys for those.
  const OFF = "assay-rating-keys-off";
  try {
    keys.checked = localStorage.getItem(OFF) === null;
    keys.addEventListener("change", () => {
      if (keys.checked) localStorage.removeItem(OFF);
      else localStorage.setItem(OFF, "1");
    });
  } catch {
    // Without storage, keys stay on.
  }
  if (current) frame(current);
})();
