// The ten stages of the walkthrough: what each is, and its figure from the numbers of the server.
import type { Found } from "./api";
import { h, fixed, plural, type Children } from "./dom";
import { hopColour, matrix, plane, type Pick } from "./figures";
import { bars, marked } from "./passage";
import { hue, signalHue } from "./theme";

export interface Chunk { id: string; document: string; title: string; section: string[]; text: string; tokens: number }
export type Links = [number, number, number][];
export interface Stages {
  chunk: { chunks: Chunk[] };
  annotate: { entities: string[][]; questions: string[][]; citations: Links };
  embed: { embedder: Record<string, unknown>; cosine: number[][] };
  signals: { weights: Record<string, number>; edges: Record<string, number>; values: Record<string, number[][]> };
  graph: { tau: number; graph_k: number; fused: number[][]; kept: Links; dropped: Links; places: [number, number][] };
  spectral: { coordinates: number[][]; clusters: number[]; components: number[] };
  seeds: { seeds: number[]; relevance: number[]; channels: Record<string, number[]>; ranks: Record<string, number>[] };
  expansion: { hop: (number | null)[] };
  proximity: { mode: string; relevance: number[]; proximity: number[]; score: number[]; candidates: number[] };
  selection: Found;
}
export type StageName = keyof Stages;

export const STAGES: { name: StageName; title: string; about: string; moved: string[] }[] = [
  { name: "chunk", title: "Chunks", about: "Documents are cut at their headings. Each chunk keeps its place and its section path.", moved: [] },
  { name: "annotate", title: "Entities, references, questions", about: "Rules find the names in a chunk and its references to others. Utility questions, where a model or a person wrote some, say what it answers.", moved: [] },
  { name: "embed", title: "Vectors", about: "Every chunk becomes a unit vector. The table shows cosines; the hash embedder used here knows spelling, not meaning.", moved: [] },
  { name: "signals", title: "Six signals", about: "Each signal links chunks in its own way, with values from 0 to 1 and a weight αᵣ.", moved: [] },
  { name: "graph", title: "The graph W", about: "w = Σ αᵣ wᵣ. Edges below τ go, each chunk keeps its graph_k strongest; dashed edges were dropped.", moved: ["graph.tau", "graph.graph_k"] },
  { name: "spectral", title: "Spectral coordinates and clusters", about: "The smoothest eigenvectors of the Laplacian of W give each chunk a place (moved apart here where two would cover each other); k-means on them gives the clusters.", moved: [] },
  { name: "seeds", title: "Seeds", about: "The question meets the chunks through words, vectors and utility questions; reciprocal rank fusion of the three picks the seeds.", moved: ["retrieval.seed_count"] },
  { name: "expansion", title: "Expansion", about: "From the seeds outwards along W, hop by hop. Chunks that are not reached are no candidates.", moved: ["retrieval.hops"] },
  { name: "proximity", title: "Proximity and score", about: "Closeness to the seeds by random walk with restart β and by spectral coordinates. score = (1 − α) · relevance + α · proximity.", moved: ["retrieval.alpha", "proximity.beta"] },
  { name: "selection", title: "Selection and context", about: "Under the budget, the chunk with the best utility per token^ρ comes next; λ is the price of saying again what was said.", moved: ["budget", "utility.redundancy", "selection.length_power"] },
];

export function figure(name: StageName, all: Stages, pick: Pick): Children {
  return DRAW[name](all, pick);
}

const chunkButton = (i: number, pick: Pick, ...more: Children[]): HTMLElement =>
  h("button", { type: "button", class: pick.chunk === i ? "chunk-name current" : "chunk-name", "data-chunk": String(i), onclick: () => pick.choose(i) }, h("span", { class: "number" }, String(i + 1)), h("span", {}, pick.name(i)), ...more);

function meter(value: number, most: number, colour: string): HTMLElement {
  return h("span", { class: "bar-track", "aria-hidden": "true" }, h("span", { class: "bar", style: { width: `${(100 * Math.max(0, value)) / (most || 1)}%`, background: colour } }));
}

const DRAW: Record<StageName, (all: Stages, pick: Pick) => Children> = {
  chunk: (all, pick) => h("ol", { class: "chunk-grid" }, all.chunk.chunks.map((chunk, i) => h("li", { class: pick.chunk === i ? "current" : "" }, chunkButton(i, pick), h("p", { class: "clip" }, chunk.text.replace(/^#.*\n+/gm, "")), h("span", { class: "muted" }, plural(chunk.tokens, "token"))))),

  annotate: (all, pick) =>
    h(
      "table",
      { class: "wide" },
      h("thead", {}, h("tr", {}, ["Chunk", "Entities", "Refers to", "Utility questions"].map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        all.annotate.entities.map((names, i) => {
          const cited = all.annotate.citations.filter(([a, b]) => a === i || b === i).map(([a, b]) => (a === i ? b : a));
          return h("tr", { class: pick.chunk === i ? "current" : "" }, h("th", { scope: "row" }, chunkButton(i, pick)), h("td", {}, h("ul", { class: "chips" }, names.map((name) => h("li", {}, name)))), h("td", {}, h("span", { class: "cited" }, cited.map((j) => h("button", { type: "button", class: "link", "aria-label": `Edge to chunk ${j + 1}`, onclick: () => pick.join(i, j) }, String(j + 1))))), h("td", {}, all.annotate.questions[i]?.map((text) => h("div", {}, text))));
        }),
      ),
    ),

  embed: (all, pick) => h("div", { class: "figure-row" }, matrix(all.embed.cosine.map((row) => row.map((value) => Math.max(0, value))), "Cosines of the vectors", hue(0), pick), h("p", { class: "muted" }, `Embedder ${String(all.embed.embedder.kind ?? "?")}, ${String(all.embed.embedder.dimension ?? "?")} dimensions.`)),

  signals: (all, pick) =>
    h(
      "div",
      { class: "small-figures" },
      Object.entries(all.signals.values).map(([name, values]) => h("figure", {}, h("figcaption", {}, h("strong", {}, name), ` α ${fixed(all.signals.weights[name] ?? 0)}, ${plural(all.signals.edges[name] ?? 0, "edge")}`), matrix(values, `Signal ${name}`, signalHue(name), pick))),
    ),

  graph: (all, pick) =>
    h(
      "div",
      { class: "figure-row" },
      plane(
        all.graph.places.map(([x, y], i) => ({ x, y, colour: hue(all.spectral.clusters[i] ?? 0) })),
        [...all.graph.dropped.map(([i, j, weight]) => ({ ends: [i, j] as [number, number], weight, dashed: true })), ...all.graph.kept.map(([i, j, weight]) => ({ ends: [i, j] as [number, number], weight }))],
        "The graph W",
        pick,
      ),
      h("p", { class: "muted" }, `${plural(all.graph.kept.length, "edge")} kept, ${all.graph.dropped.length} dropped. Strongest: ${fixed(all.graph.kept[0]?.[2] ?? 0)}.`),
    ),

  spectral: (all, pick) =>
    h(
      "div",
      { class: "figure-row" },
      plane(
        all.spectral.coordinates.map((row, i) => ({ x: row[0] ?? 0, y: row[1] ?? 0, colour: hue(all.spectral.clusters[i] ?? 0), note: `cluster ${all.spectral.clusters[i]}` })),
        [],
        "First and second spectral coordinate",
        pick,
      ),
      h(
        "ul",
        { class: "cluster-list" },
        [...new Set(all.spectral.clusters)].sort((a, b) => a - b).map((cluster) => h("li", {}, h("span", { class: "dot", "aria-hidden": "true", style: { background: hue(cluster) } }), `cluster ${cluster}: `, all.spectral.clusters.flatMap((each, i) => (each === cluster ? [h("button", { type: "button", class: "link", onclick: () => pick.choose(i) }, String(i + 1)), " "] : [])))),
      ),
    ),

  seeds: (all, pick) => {
    const channels = Object.keys(all.seeds.channels);
    const most = Math.max(1e-9, ...all.seeds.relevance);
    const order = all.seeds.relevance.map((_, i) => i).sort((a, b) => (all.seeds.relevance[b] ?? 0) - (all.seeds.relevance[a] ?? 0));
    return h(
      "table",
      { class: "wide" },
      h("thead", {}, h("tr", {}, ["Chunk", ...channels.map((name) => `rank ${name}`), "Relevance", "Seed"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, order.map((i) => h("tr", { class: pick.chunk === i ? "current" : "" }, h("th", { scope: "row" }, chunkButton(i, pick)), channels.map((name) => h("td", { class: "number-cell" }, all.seeds.ranks[i]?.[name] ?? "–")), h("td", {}, h("span", { class: "metered" }, meter(all.seeds.relevance[i] ?? 0, most, "var(--accent)"), fixed(all.seeds.relevance[i] ?? 0))), h("td", {}, all.seeds.seeds.includes(i) ? h("span", { class: "tag seed" }, `seed ${all.seeds.seeds.indexOf(i) + 1}`) : "")))),
    );
  },

  expansion: (all, pick) =>
    h(
      "div",
      { class: "figure-row" },
      plane(
        all.graph.places.map(([x, y], i) => ({ x, y, colour: hopColour(all.expansion.hop[i] ?? null), faint: all.expansion.hop[i] == null, ring: all.expansion.hop[i] === 0, note: all.expansion.hop[i] == null ? "not reached" : `hop ${all.expansion.hop[i]}` })),
        all.graph.kept.map(([i, j, weight]) => ({ ends: [i, j], weight })),
        "Hops from the seeds",
        pick,
      ),
      h("ul", { class: "cluster-list" }, [...new Set(all.expansion.hop)].sort((a, b) => (a ?? 99) - (b ?? 99)).map((hop) => h("li", {}, h("span", { class: "dot", "aria-hidden": "true", style: { background: hopColour(hop) } }), `${hop === null ? "not reached" : hop === 0 ? "seeds" : `hop ${hop}`}: `, all.expansion.hop.flatMap((each, i) => (each === hop ? [h("button", { type: "button", class: "link", onclick: () => pick.choose(i) }, String(i + 1)), " "] : []))))),
    ),

  proximity: (all, pick) => {
    const { relevance, proximity, score, candidates } = all.proximity;
    const order = score.map((_, i) => i).sort((a, b) => (score[b] ?? 0) - (score[a] ?? 0));
    const cell = (values: number[], i: number, colour: string): HTMLElement => h("td", {}, h("span", { class: "metered" }, meter(values[i] ?? 0, Math.max(...values), colour), fixed(values[i] ?? 0)));
    return h(
      "table",
      { class: "wide" },
      h("thead", {}, h("tr", {}, ["Chunk", "Relevance", `Proximity (${all.proximity.mode})`, "Score"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, order.map((i) => h("tr", { class: `${pick.chunk === i ? "current" : ""}${candidates.includes(i) ? "" : " faint"}` }, h("th", { scope: "row" }, chunkButton(i, pick)), cell(relevance, i, hue(0)), cell(proximity, i, hue(4)), cell(score, i, "var(--accent)")))),
    );
  },

  selection: (all, pick) => {
    const found = all.selection;
    const place = new Map(all.chunk.chunks.map((chunk, i) => [chunk.id, i]));
    const picked = [...found.passages].sort((a, b) => a.order - b.order);
    return [
      h("div", { class: "budget-meter", role: "img", "aria-label": `${found.tokens} of ${found.token_budget} tokens` }, h("span", { class: "bar-track" }, h("span", { class: "bar", style: { width: `${Math.min(100, (100 * found.tokens) / (found.token_budget || 1))}%` } })), h("span", {}, `${found.tokens} of ${found.token_budget} tokens`)),
      picked.length
        ? h("ol", { class: "picks" }, picked.map((passage) => h("li", {}, chunkButton(place.get(passage.id) ?? 0, pick), h("span", { class: "muted" }, passage.why.reason), marked(found.evidence[passage.id], passage.text), bars(passage.why.parts, "Terms of the utility"))))
        : h("p", { class: "muted" }, "Nothing fits into this budget."),
      h("details", {}, h("summary", {}, "Context to send"), h("pre", {}, found.context)),
    ];
  },
};
