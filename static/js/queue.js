// Names the boxes of django-rq's lists of jobs for screen readers. Django's own lists have names.
for (const box of document.querySelectorAll("#result_list :is(#action-toggle, .action-select)")) {
  if (box.ariaLabel) continue;
  const name = box.value === "on" ? "Choose all" : `Choose ${box.value}`;
  box.ariaLabel = name;
  if (box.closest("th")) box.closest("th").ariaLabel = name;
}
