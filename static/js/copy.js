// <button type="button" class="button needs-script" data-copy="#id-of-the-text"
//         data-copied="Copied">Copy</button>
// copies the text of that element; the button shows data-copied for two seconds.
(() => {
  "use strict";
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button || button.dataset.label) return;
    const source = document.querySelector(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
    } catch {
      getSelection().selectAllChildren(source); // without clipboard access: ready for Ctrl+C
      return;
    }
    button.dataset.label = button.textContent;
    button.textContent = button.dataset.copied;
    setTimeout(() => {
      button.textContent = button.dataset.label;
      delete button.dataset.label;
    }, 2000);
  });
})();

// Browsers copy a no-break space as a blank; text with marked characters is copied as it is.
document.addEventListener("copy", (event) => {
  const selection = getSelection();
  const marks = [...document.querySelectorAll(".codepoint")];
  if (!marks.some((mark) => selection.containsNode(mark, true))) return;
  event.clipboardData.setData("text/plain", selection.toString());
  event.preventDefault();
});
