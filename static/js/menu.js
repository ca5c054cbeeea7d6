// Menus are <details class="menu"> and open without a script. This closes them on Escape, on a
// click elsewhere, and when another menu opens. Links open what they lead to.
(() => {
  "use strict";
  const open = () => document.querySelectorAll("details.menu[open]");

  document.addEventListener("click", (event) => {
    for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
  });
  // A link to a closed <details>, or into one, opens it.
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    const folded = target && target.closest("details");
    if (folded) folded.open = true;
  };
  addEventListener("hashchange", reveal);
  reveal();
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) reveal();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of open()) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
})();
