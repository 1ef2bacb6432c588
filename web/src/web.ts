// Web: the chunk graph, its filters, a search box, and what stands behind a click.
import { get, Latest, message, post, type ChunkView, type Drawing, type EdgeView } from "./api";
import { Canvas, hasWebGL, type Colour } from "./canvas";
import { segmented, slider } from "./controls";
import { debounce, h, notice, plural, say, show } from "./dom";
import { chunkPanel, edgePanel, swatch, type Walk } from "./panel";
import { player } from "./player";
import type { View } from "./state";
import { hue, onTheme } from "./theme";

export function webView(): View {
  const drawn = h("div", { class: "canvas", tabIndex: 0, role: "application", "aria-label": "The web of chunks. Arrow keys move, plus and minus zoom, 0 shows all. The list has every chunk as text." });
  const overlay = h("div", { class: "overlay" });
  const panel = h("aside", { class: "side panel", hidden: true, "aria-label": "Details" });
  const legend = h("div", { class: "legend" });
  const status = h("p", { class: "muted status" });
  const list = h("div", { class: "node-list", hidden: true });
  const results = h("ul", { class: "found", hidden: true, role: "listbox", "aria-label": "Found chunks", id: "found" });
  const search = h("input", { type: "search", dir: "auto", placeholder: "Find a chunk", "aria-label": "Find a chunk by words, title or id", role: "combobox", "aria-expanded": "false", "aria-controls": "found", autocomplete: "off" });
  const asList = h("button", { type: "button", class: "quiet", "aria-pressed": "false" }, "List");
  const all = h("button", { type: "button", class: "quiet" }, "Show all");
  const opening = new Latest();
  const finding = new Latest();
  let canvas: Canvas | null = null;
  let drawing: Drawing | null = null;
  const labels = new Map<string, string>();
  let loading: Promise<void> | null = null;

  const walk: Walk = { chunk: (id) => void openChunk(id), edge: (source, target) => void openEdge(source, target), close };
  const play = player({
    load: (web) => {
      remember(web);
      canvas?.add(web);
      drawList(web);
    },
    light: (frames, number) => {
      canvas?.light(frames, number);
      if (frames && canvas) {
        const spots = frames.slice(0, number + 1).flatMap((frame) => frame.nodes.map((node) => node.id));
        if (number === 0 || number === frames.length - 1) canvas.frame(number === 0 ? spots : (frames[number]?.nodes ?? []).map((node) => node.id).concat(spots.slice(0, 12)));
      }
      legend.hidden = frames !== null;
    },
    labels: (ids) => ids.map((id) => labels.get(id) ?? id),
    open: (id) => void openChunk(id),
  });

  function remember(web: Drawing): void {
    web.nodes.id.forEach((id, i) => labels.set(id, web.nodes.label[i] as string));
  }

  function load(): Promise<void> {
    loading ??= (async () => {
      show(overlay, notice("busy", "Drawing the web …"));
      try {
        drawing = await get<Drawing>("web");
        remember(drawing);
        show(overlay);
        if (!drawing.nodes.id.length) {
          show(overlay, notice("empty", "The index is empty", "Index some documents: gossamer index DOCS INDEX"));
          return;
        }
        if (hasWebGL()) {
          canvas ??= new Canvas(drawn, { node: (id) => void openChunk(id), edge: (source, target) => void openEdge(source, target), stage: close });
          canvas.clear();
          canvas.add(drawing);
        } else {
          drawn.hidden = true;
          show(overlay, notice("empty", "This browser cannot draw the web", "It has no WebGL. The list below holds the same chunks and edges."));
          overlay.classList.add("static");
          setList(true);
        }
        status.textContent = drawing.whole ? `${plural(drawing.chunks, "chunk")}, all drawn` : `${drawing.nodes.id.length.toLocaleString("en")} of ${drawing.chunks.toLocaleString("en")} chunks drawn: the best linked of each community. A click or a search adds the neighbourhood.`;
        drawLegend();
        drawList(drawing);
      } catch (problem) {
        loading = null;
        show(overlay, notice("error", "The web cannot be drawn", message(problem), h("button", { type: "button", onclick: () => void load() }, "Try again")));
      }
    })();
    return loading;
  }

  function drawLegend(): void {
    if (!drawing) return;
    const counts = new Map<string, number>();
    for (const signal of drawing.edges.signal) {
      const name = drawing.signals[signal] as string;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const most = Math.max(0.05, ...drawing.edges.weight);
    const toggles = drawing.signals.map((name) => {
      const box = h("input", { type: "checkbox", checked: !canvas?.hidden.has(name) });
      box.addEventListener("change", () => {
        if (box.checked) canvas?.hidden.delete(name);
        else canvas?.hidden.add(name);
        canvas?.refresh();
      });
      return h("li", {}, h("label", {}, box, swatch(name), h("span", {}, name), h("span", { class: "count" }, String(counts.get(name) ?? 0))));
    });
    const weight = slider("weight", canvas?.least ?? 0, { label: "Weight at least", low: 0, high: Math.ceil(most * 20) / 20, step: 0.01 }, (value) => {
      if (canvas) canvas.least = value;
      canvas?.refresh();
    });
    const colour = segmented<Colour>("Colour by", canvas?.colour ?? "community", [["community", "Community"], ["document", "Document"]], (value) => {
      canvas?.setColour(value);
      drawGroups(value);
    });
    const groups = h("ul", { class: "groups" });
    const drawGroups = (by: Colour): void => {
      if (!drawing) return;
      const sizes = new Map<number, number>();
      for (const group of by === "community" ? drawing.nodes.cluster : drawing.nodes.document) sizes.set(group, (sizes.get(group) ?? 0) + 1);
      const rows = [...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 12);
      const name = (group: number): string => (by === "community" ? (drawing?.clusters[String(group)] ?? "no cluster") : (drawing?.nodes.documents[group] ?? ""));
      const colourOf = (group: number): string => hue(by === "community" ? group : (canvas?.groupOf(name(group)) ?? group));
      show(groups, rows.map(([group, size]) => h("li", {}, h("span", { class: "dot", "aria-hidden": "true", style: { background: colourOf(group) } }), h("span", { class: "group-name", dir: "auto", title: name(group) }, name(group)), h("span", { class: "count" }, String(size)))), sizes.size > 12 && h("li", { class: "muted" }, `and ${sizes.size - 12} more`));
    };
    drawGroups(canvas?.colour ?? "community");
    show(legend, h("details", { open: window.innerWidth > 900 }, h("summary", {}, "Colours and filters"), colour, groups, h("h3", {}, "Edges by dominant signal"), h("ul", { class: "toggles" }, toggles), weight.element));
  }

  function drawList(web: Drawing): void {
    const order = web.nodes.id.map((_, i) => i).sort((a, b) => (web.nodes.degree[b] as number) - (web.nodes.degree[a] as number)).slice(0, 300);
    show(
      list,
      h(
        "table",
        {},
        h("caption", {}, `${order.length < web.nodes.id.length ? "The 300 best linked chunks" : "The chunks"} of this drawing`),
        h("thead", {}, h("tr", {}, ["Chunk", "Document", "Community", "Edges"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, order.map((i) => h("tr", {}, h("td", {}, h("button", { type: "button", class: "link", dir: "auto", onclick: () => void openChunk(web.nodes.id[i] as string) }, web.nodes.label[i])), h("td", { dir: "auto" }, web.nodes.documents[web.nodes.document[i] as number]), h("td", { dir: "auto" }, web.clusters[String(web.nodes.cluster[i])] ?? "–"), h("td", { class: "number-cell" }, String(web.nodes.degree[i]))))),
      ),
    );
  }

  function setList(open: boolean): void {
    list.hidden = !open;
    drawn.classList.toggle("behind", open);
    asList.setAttribute("aria-pressed", String(open));
  }

  async function openChunk(id: string): Promise<void> {
    try {
      const found = await opening.run((signal) => Promise.all([get<ChunkView>("chunk", { id }, signal), post<Drawing>("web/around", { ids: [id], hops: 1, limit: 60 }, signal)]));
      if (!found) return;
      const [view, near] = found;
      remember(near);
      if (canvas) {
        const seen = canvas.graph.hasNode(id);
        canvas.add(near);
        canvas.select(id);
        if (!seen || !inSight(id)) canvas.frame([id, ...near.nodes.id]);
      }
      open(chunkPanel(view, walk));
      history.replaceState(null, "", `#web?chunk=${encodeURIComponent(id)}`);
    } catch (problem) {
      open([h("header", { class: "panel-head" }, h("h2", { tabIndex: -1 }, "Not found"), h("button", { type: "button", class: "quiet icon", "aria-label": "Close", onclick: close }, "✕")), notice("error", "This chunk cannot be shown", message(problem))]);
    }
  }

  async function openEdge(source: string, target: string): Promise<void> {
    try {
      const found = await opening.run((signal) => Promise.all([get<EdgeView>("edge", { source, target }, signal), post<Drawing>("web/around", { ids: [source, target], hops: 0, limit: 2 }, signal)]));
      if (!found) return;
      remember(found[1]);
      canvas?.add(found[1]);
      canvas?.select(null, [source, target]);
      if (!inSight(source) || !inSight(target)) canvas?.frame([source, target], 2.5);
      open(edgePanel(found[0], walk));
    } catch (problem) {
      open([h("header", { class: "panel-head" }, h("h2", { tabIndex: -1 }, "Not found"), h("button", { type: "button", class: "quiet icon", "aria-label": "Close", onclick: close }, "✕")), notice("error", "This edge cannot be shown", message(problem))]);
    }
  }

  function inSight(id: string): boolean {
    const spot = canvas?.locate(id);
    const box = drawn.getBoundingClientRect();
    return spot != null && spot.x > box.left + 20 && spot.x < box.right - 20 && spot.y > box.top + 20 && spot.y < box.bottom - 20;
  }

  function open(children: HTMLElement[]): void {
    panel.hidden = false;
    show(panel, children);
    panel.scrollTop = 0;
    panel.querySelector("h2")?.focus({ preventScroll: window.innerWidth > 900 });
    say(`${panel.querySelector("h2")?.textContent ?? ""} ${panel.querySelector(".panel-title")?.textContent ?? ""}`);
  }

  function close(): void {
    if (panel.hidden) return;
    panel.hidden = true;
    canvas?.select(null);
    history.replaceState(null, "", "#web");
    drawn.focus({ preventScroll: true });
  }

  const look = debounce(180, async (text: string) => {
    if (!text.trim()) return closeResults();
    try {
      const found = await finding.run((signal) => get<{ passages: { id: string; label: string; text: string }[] }>("find", { text }, signal));
      if (!found) return;
      results.hidden = false;
      search.setAttribute("aria-expanded", "true");
      show(results, found.passages.length ? found.passages.map((each) => h("li", { role: "option", tabIndex: -1, "data-id": each.id, onclick: () => take(each.id) }, h("strong", { dir: "auto" }, each.label), h("span", { class: "muted", dir: "auto" }, each.text))) : h("li", { class: "muted none" }, "Nothing found."));
      say(`${plural(found.passages.length, "chunk")} found.`);
    } catch (problem) {
      results.hidden = false;
      show(results, h("li", { class: "none" }, message(problem)));
    }
  });

  function closeResults(): void {
    results.hidden = true;
    search.setAttribute("aria-expanded", "false");
  }

  function take(id: string): void {
    closeResults();
    void openChunk(id);
  }

  const options = (): HTMLElement[] => [...results.querySelectorAll<HTMLElement>("[role=option]")];
  search.addEventListener("input", () => look(search.value));
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      options()[0]?.focus();
    } else if (event.key === "Enter") {
      const id = options()[0]?.dataset.id;
      if (id && !results.hidden) take(id);
    } else if (event.key === "Escape") closeResults();
  });
  results.addEventListener("keydown", (event) => {
    const rows = options();
    const at = rows.indexOf(document.activeElement as HTMLElement);
    if (event.key === "ArrowDown") (event.preventDefault(), rows[Math.min(rows.length - 1, at + 1)]?.focus());
    else if (event.key === "ArrowUp") (event.preventDefault(), at <= 0 ? search.focus() : rows[at - 1]?.focus());
    else if (event.key === "Enter") take(rows[at]?.dataset.id ?? "");
    else if (event.key === "Escape") (closeResults(), search.focus());
  });
  document.addEventListener("click", (event) => {
    if (!results.contains(event.target as Node) && event.target !== search) closeResults();
  });
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  asList.addEventListener("click", () => setList(list.hidden));
  all.addEventListener("click", () => {
    play.stop();
    close();
    canvas?.clear();
    if (drawing) canvas?.add(drawing);
    canvas?.fit();
  });
  onTheme(() => {
    canvas?.retheme();
    drawLegend();
  });

  const zoom = h("div", { class: "zoom", role: "group", "aria-label": "Zoom" }, h("button", { type: "button", class: "icon", "aria-label": "Zoom in", onclick: () => canvas?.zoom(true) }, "+"), h("button", { type: "button", class: "icon", "aria-label": "Zoom out", onclick: () => canvas?.zoom(false) }, "−"), h("button", { type: "button", class: "icon", "aria-label": "Fit", onclick: () => canvas?.fit() }, "⤢"));
  const element = h(
    "div",
    { class: "view web-view" },
    h("h1", { class: "hidden" }, "Web"),
    h("div", { class: "stage" }, drawn, overlay, zoom, list),
    h("div", { class: "side tools-side" }, h("div", { class: "search card" }, h("div", { class: "search-line" }, search, asList, all), results, status), h("div", { class: "card legend-card" }, legend)),
    panel,
    play.element,
  );
  return {
    element,
    enter(parameters) {
      void load().then(() => {
        const chunk = parameters.get("chunk");
        const edge = parameters.get("edge");
        const to = parameters.get("to");
        if (chunk) void openChunk(chunk);
        else if (edge && to) void openEdge(edge, to);
        else if (parameters.get("play")) {
          history.replaceState(null, "", "#web");
          void play.play();
        }
        canvas?.refresh();
      });
    },
    leave() {
      closeResults();
    },
  };
}

