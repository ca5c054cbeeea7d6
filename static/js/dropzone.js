// Uploads a dropped or picked file and shows the progress. The form is an ordinary multipart form
// and works without this; see parts/dropzone.html for the markup.
//
// Answers to the POST, which has X-Requested-With: XMLHttpRequest:
// - HX-Redirect: the browser goes there;
// - a redirect: the browser goes to its target, but the second GET loses flash messages;
// - a page (with the file's problems): its <main> replaces the current one.
(() => {
  "use strict";
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];

  function size(bytes) {
    const step = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
    const options = { style: "unit", unit: units[step], maximumFractionDigits: step ? 1 : 0 };
    const number = new Intl.NumberFormat(document.documentElement.lang, options);
    return number.format(bytes / 1000 ** step);
  }

  function showFile(place, input) {
    const line = place.querySelector("[data-dropzone-file]");
    const most = Number(place.dataset.mostBytes || Infinity);
    const file = input.files[0];
    const large = Boolean(file) && file.size > most;
    line.textContent = file ? `${file.name}, ${size(file.size)}` : "";
    if (large) line.textContent += `. ${line.dataset.tooLarge}`;
    input.setCustomValidity(large ? line.dataset.tooLarge : "");
  }

  function takeDropped(place, input, files) {
    if (files.length > 1) {
      place.querySelector("[data-dropzone-file]").textContent =
        place.querySelector("[data-dropzone-file]").dataset.oneOnly;
      return;
    }
    input.files = files;
    showFile(place, input);
  }

  function dropping(place, input) {
    for (const name of ["dragenter", "dragover"]) {
      place.addEventListener(name, () => place.classList.add("dropzone-over"));
    }
    place.addEventListener("dragleave", (event) => {
      if (!place.contains(event.relatedTarget)) place.classList.remove("dropzone-over");
    });
    place.addEventListener("drop", (event) => {
      place.classList.remove("dropzone-over");
      if (event.dataTransfer.files.length) takeDropped(place, input, event.dataTransfer.files);
    });
  }

  function showAnswer(xhr, form) {
    const there = xhr.getResponseHeader("HX-Redirect");
    if (there) return location.assign(there);
    if (xhr.status < 400 && new URL(xhr.responseURL).href !== new URL(form.action).href) {
      return location.assign(xhr.responseURL);
    }
    const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
    const main = page.querySelector("main");
    if (!main) return broken(form);
    document.querySelector("main").replaceWith(main);
    globalThis.htmx?.process(main);
    start(main);
    main.focus();
    scrollTo(0, 0);
  }

  function broken(form) {
    const line = form.querySelector("[data-dropzone-progress]");
    form.querySelector("progress").hidden = true;
    line.hidden = false;
    line.textContent = line.dataset.broken;
    for (const button of form.querySelectorAll("button[type=submit]")) button.disabled = false;
  }

  function showProgress(form, share) {
    const bar = form.querySelector("progress");
    const line = form.querySelector("[data-dropzone-progress]");
    bar.hidden = line.hidden = false;
    bar.value = Math.floor(share * 100);
    line.textContent = share < 1 ? `${line.dataset.sending} ${bar.value} %` : line.dataset.checking;
  }

  function send(form, submitter) {
    const xhr = new XMLHttpRequest();
    const data = new FormData(form, submitter); // disabled buttons would not be included
    xhr.open("POST", form.action);
    xhr.setRequestHeader("X-Requested-With", "XMLHttpRequest");
    xhr.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) showProgress(form, event.loaded / event.total);
    });
    xhr.addEventListener("load", () => showAnswer(xhr, form));
    for (const name of ["error", "abort", "timeout"]) {
      xhr.addEventListener(name, () => broken(form));
    }
    for (const button of form.querySelectorAll("button[type=submit]")) button.disabled = true;
    showProgress(form, 0);
    xhr.send(data);
  }

  function start(root) {
    for (const form of root.querySelectorAll("form[data-dropzone]")) {
      const place = form.querySelector("[data-dropzone-place]");
      const input = place.querySelector("input[type=file]");
      input.addEventListener("change", () => showFile(place, input));
      dropping(place, input);
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        send(form, event.submitter);
      });
    }
  }

  // By default, a file dropped outside the field replaces the page.
  for (const name of ["dragover", "drop"]) {
    addEventListener(name, (event) => event.preventDefault());
  }
  start(document);
})();
