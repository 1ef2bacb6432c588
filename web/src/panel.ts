// What stands beside the web: one chunk or one edge, read out in full.
import type { ChunkView, EdgeView } from "./api";
import { fixed, h, plural } from "./dom";
import { bars, chips, heading } from "./passage";
import { signalHue } from "./theme";

export interface Walk { chunk(id: string): void; edge(source: string, target: string): void; close(): void }

function head(title: string, walk: Walk): HTMLElement {
  return h("header", { class: "panel-head" }, h("h2", { tabIndex: -1 }, title), h("button", { type: "button", class: "quiet icon", "aria-label": "Close", onclick: () => walk.close() }, "✕"));
}

export function swatch(name: string): HTMLElement {
  return h("span", { class: "swatch", "aria-hidden": "true", style: { background: signalHue(name) } });
}

export function chunkPanel(view: ChunkView, walk: Walk): HTMLElement[] {
  const edges = view.edges.slice(0, 60);
  return [
    head("Chunk", walk),
    h("p", { class: "panel-title" }, heading(view.title, view.section, view.document)),
    h("p", { class: "text", dir: "auto" }, view.text),
    chips(plural(view.tokens, "token"), view.page !== null && `page ${view.page}`, view.cluster >= 0 && `cluster ${view.cluster}`, plural(view.degree, "edge")),
    h("h3", {}, "Entities"),
    view.entities.length ? h("ul", { class: "chips" }, view.entities.map((each) => h("li", { dir: "auto", title: `in ${plural(each.chunks, "chunk")}` }, each.name))) : h("p", { class: "muted" }, "None found."),
    view.questions.length > 0 ? h("h3", {}, "Utility questions") : "",
    view.questions.length > 0 ? h("ul", { class: "plain-list" }, view.questions.map((each) => h("li", { dir: "auto" }, each))) : "",
    h("h3", {}, `Edges (${view.edges.length})`),
    edges.length
      ? h(
          "ul",
          { class: "edge-list" },
          edges.map((edge) =>
            h(
              "li",
              {},
              h("button", { type: "button", class: "link", dir: "auto", onclick: () => walk.chunk(edge.source) }, edge.label ?? edge.source),
              h("button", { type: "button", class: "quiet small", onclick: () => walk.edge(view.id, edge.source), "aria-label": `Edge to ${edge.source}` }, fixed(edge.weight, 2)),
              h("span", { class: "signals" }, Object.entries(edge.signals).map(([name, value]) => h("span", {}, swatch(name), `${name} ${fixed(value, 2)}`))),
            ),
          ),
        )
      : h("p", { class: "muted" }, "No edge: only its words and vectors can find it."),
    h("p", { class: "id" }, h("code", { dir: "auto" }, view.id)),
  ].filter((each): each is HTMLElement => each !== "");
}

export function edgePanel(view: EdgeView, walk: Walk): HTMLElement[] {
  const ends = [view.source, view.target] as const;
  return [
    head("Edge", walk),
    h("p", { class: "panel-title" }, h("button", { type: "button", class: "link", dir: "auto", onclick: () => walk.chunk(ends[0]) }, view.labels[0] ?? ends[0]), h("span", { class: "muted" }, " — "), h("button", { type: "button", class: "link", dir: "auto", onclick: () => walk.chunk(ends[1]) }, view.labels[1] ?? ends[1])),
    h("p", {}, view.weight > 0 ? `Weight in W: ${fixed(view.weight, 4)}` : "Not in W (below τ or not among the strongest)", view.flow > 0 ? ` · in F: ${fixed(view.flow, 4)}` : ""),
    h("h3", {}, "The six signals"),
    h(
      "table",
      { class: "signal-table" },
      h("thead", {}, h("tr", {}, ["signal", "value", "α", "α · value"].map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        Object.entries(view.signals).map(([name, value]) => {
          const alpha = view.weights[name] ?? 0;
          return h("tr", { class: value > 0 ? "" : "zero" }, h("th", { scope: "row" }, swatch(name), name), h("td", {}, fixed(value, 3)), h("td", {}, fixed(alpha, 3)), h("td", {}, fixed(alpha * value, 4)));
        }),
      ),
    ),
    h("h3", {}, "Parts of the weight"),
    bars(Object.fromEntries(Object.entries(view.signals).map(([name, value]) => [name, value * (view.weights[name] ?? 0)])), "Parts of the weight"),
    h("h3", {}, "Names that both hold"),
    view.entities.length ? h("ul", { class: "chips" }, view.entities.map((name) => h("li", { dir: "auto" }, name))) : h("p", { class: "muted" }, "None."),
    h("h3", {}, "Texts"),
    ...view.texts.map((text) => h("p", { class: "text framed", dir: "auto" }, text)),
  ];
}
