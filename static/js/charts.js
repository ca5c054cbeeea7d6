// Draws each chart when it comes near the viewport, in the page's theme.
//
// The placeholder: <div class="chart-place" data-chart-url="URL of the figure"
//                 data-plotly-src="URL of a plotly bundle" data-failed="a sentence"
//                 data-file="name of a saved figure" data-head="its title" data-line="its facts">
// Buttons of the same <figure> with data-chart-file="svg" or "png" save the figure.
// The figure's JSON:
//   {"data": [traces], "layout": {...},
//    "themes": {"light": {layout patch}, "dark": {layout patch}}}
// A patch replaces top-level keys of the layout. It needs one plotly `template` with everything
// that differs between the themes (colours of text, grid and paper, colorway, coloraxis).
// Traces must have no colours of their own, as those would override the template.
// The layout needs no width or height: the placeholder sets them.
// A layout with `meta` {url, numbers} links the cells of a heatmap: the number of a cell's column
// replaces the "@" of the address. Arrow keys go from cell to cell, and Enter follows the link.
(() => {
  "use strict";
  const drawn = new Map();
  let plotly;

  const theme = () =>
    document.documentElement.dataset.theme ||
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  // Loaded once for all charts of the page.
  function load(source) {
    plotly ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = source;
      script.onload = () => resolve(globalThis.Plotly);
      script.onerror = () => reject(new Error(source));
      document.head.append(script);
    });
    return plotly;
  }

  function layout(figure) {
    // Dragging would prevent touch scrolling.
    const ours = { autosize: true, dragmode: false, margin: { l: 44, r: 16, t: 8, b: 40 } };
    return { ...ours, ...figure.layout, ...figure.themes[theme()] };
  }

  // Our own buttons below the chart: plotly's cover it.
  const config = { responsive: true, displayModeBar: false, locale: "en" };

  // The words in lines of at most `width` pixels, in the font of a saved figure's facts.
  function lines(words, width) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const found = [""];
    // Chinese has no spaces to break at.
    for (const part of words.match(/[\u2e80-\uffff]|[^\s\u2e80-\uffff]+\s*|\s+/gu)) {
      if (pen.measureText(found.at(-1) + part.trimEnd()).width > width) found.push("");
      found[found.length - 1] += part;
    }
    return found;
  }

  // Saves the figure in its light colours, with its title and facts above.
  async function save(button) {
    const place = button.closest("figure").querySelector("[data-chart-url]");
    const [library, figure] = [await plotly, drawn.get(place)];
    const text = (words) => words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const { head, line, file } = place.dataset;
    const patch = { ...layout(figure), ...figure.themes.light };
    const width = Math.max(place.clientWidth, 800);
    const facts = lines(line, width - 32);
    const above = (patch.showlegend ? 92 : 62) + 16 * facts.length;
    const title = {
      ...{ text: text(head), x: 16 / width, xanchor: "left", yref: "container", y: 1 },
      ...{ yanchor: "top", pad: { t: 16 }, font: { size: 17 } },
      subtitle: { text: facts.map(text).join("<br>"), font: { size: 12 } },
    };
    const size = { width, height: place.clientHeight + above };
    const margin = { ...patch.margin, t: patch.margin.t + above };
    const ground = patch.template.layout.hoverlabel.bgcolor;
    const whole = {
      data: figure.data,
      layout: { ...patch, ...size, title, margin, paper_bgcolor: ground },
    };
    const format = button.dataset.chartFile;
    await library.downloadImage(whole, { format, filename: file, ...size, scale: 2 });
  }

  async function figureAt(url) {
    const answer = await fetch(url, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`${answer.status} ${url}`);
    return answer.json();
  }

  async function draw(place) {
    try {
      const [library, figure] = await Promise.all([
        load(place.dataset.plotlySrc),
        figureAt(place.dataset.chartUrl),
      ]);
      place.replaceChildren();
      const drawing = library.newPlot(place, figure.data, layout(figure), config);
      // Before the end: what is seen can be clicked on.
      if (figure.layout.meta?.numbers) link(place, figure.layout.meta);
      await drawing;
      drawn.set(place, figure);
      for (const button of files(place)) button.disabled = false;
    } catch {
      fail(place);
    }
  }

  const files = (place) => place.closest("figure")?.querySelectorAll("[data-chart-file]") ?? [];

  function link(place, { url, numbers }) {
    place.classList.add("chart-linked");
    const follow = (column) => location.assign(url.replace("@", numbers[column]));
    byKeyboard(place, follow);
    // Plotly's own event is lost while it is busy with where the pointer is.
    place.addEventListener("click", ({ target, clientX }) => {
      if (!target.matches(".nsewdrag")) return;
      const { left, width } = target.getBoundingClientRect();
      const column = Math.floor(((clientX - left) / width) * numbers.length);
      if (column in numbers) follow(column);
    });
  }

  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

  function byKeyboard(place, follow) {
    const cells = place.data.find(({ type }) => type === "heatmap");
    const [rows, columns] = [cells.y.length, cells.x.length];
    let cell = [0, 0]; // the row, from the top, and the column
    const show = () =>
      globalThis.Plotly.Fx.hover(place, { xval: cell[1], yval: cell[0] }, "xy");
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", place.dataset.head);
    place.addEventListener("focus", show);
    place.addEventListener("keydown", (event) => {
      if (event.target !== place) return; // a link in the chart
      if (event.key === "Enter") follow(cell[1]);
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const within = (value, most) => Math.min(most - 1, Math.max(0, value));
      cell = [within(cell[0] + step[0], rows), within(cell[1] + step[1], columns)];
      show();
    });
  }

  function fail(place) {
    const line = document.createElement("p");
    line.className = "chart-wait";
    line.textContent = place.dataset.failed;
    place.replaceChildren(line);
  }

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watcher.unobserve(target);
        draw(target);
      }
    },
    { rootMargin: "300px" },
  );

  function watch(root) {
    for (const place of root.querySelectorAll("[data-chart-url]")) watcher.observe(place);
  }

  document.addEventListener("themechange", async () => {
    for (const [place, figure] of drawn) {
      if (!place.isConnected) drawn.delete(place);
      else {
        const library = await plotly;
        library.react(place, figure.data, layout(figure), config);
      }
    }
  });
  document.addEventListener("htmx:load", (event) => {
    if (event.detail.elt !== document.body) watch(event.detail.elt);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-chart-file]");
    if (button) save(button);
  });
  watch(document);
})();
