// Lights up the rows that the paired tests cannot distinguish from the row under the pointer or
// with the focus: <tr data-groups="0 2"> has the numbers of its tie groups.
(() => {
  "use strict";
  const rows = () => document.querySelectorAll(".board tr[data-groups]");
  const groups = (row) => row.dataset.groups.split(" ").filter(Boolean);

  function light(event) {
    const row = event.target.closest?.(".board tr[data-groups]");
    const own = row ? new Set(groups(row)) : new Set();
    for (const one of rows()) {
      one.classList.toggle("tied", one !== row && groups(one).some((group) => own.has(group)));
    }
  }
  for (const name of ["pointerover", "focusin", "focusout"]) {
    document.addEventListener(name, light);
  }
})();
