// Draws each chart when it comes near the viewport, in the page's theme.
//
// The placeholder: <div class="chart-place" data-chart-url="URL of the figure"
//                 data-plotly-src="URL of a plotly bundle" data-failed="a sentence"
//                 data-save="title of the button that saves an image">
// The figure's JSON:
//   {"data": [traces], "layout": {...},
//    "themes": {"light": {layout patch}, "dark": {layout patch}}}
// A patch replaces top-level keys of the layout. It needs one plotly `template` with everything
// that differs between the themes (colours of text, grid and paper, colorway, coloraxis).
// Traces must have no colours of their own, as those would override the template.
// The layout needs no width or height: the placeholder sets them.
// A layout with `meta` {url, numbers} links the cells of a heatmap: the number of a cell's column
// replaces the "@" of the address.
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

  // Plotly's own button has an English title.
  function config(place, library) {
    const button = {
      name: "save",
      title: place.dataset.save,
      icon: library.Icons.camera,
      click: (plot) => library.downloadImage(plot, { format: "png", filename: "chart" }),
    };
    return { responsive: true, displaylogo: false, modeBarButtons: [[button]], locale: "en" };
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
      await library.newPlot(place, figure.data, layout(figure), config(place, library));
      drawn.set(place, figure);
      if (figure.layout.meta?.numbers) link(place, figure.layout.meta);
    } catch {
      fail(place);
    }
  }

  function link(place, { url, numbers }) {
    place.classList.add("chart-linked");
    place.on("plotly_click", ({ points: [point] }) => {
      const number = numbers[point.pointIndex[1]];
      if (number !== undefined) location.assign(url.replace("@", number));
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
        library.react(place, figure.data, layout(figure), config(place, library));
      }
    }
  });
  document.addEventListener("htmx:load", (event) => {
    if (event.detail.elt !== document.body) watch(event.detail.elt);
  });
  watch(document);
})();
