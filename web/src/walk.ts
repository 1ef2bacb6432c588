// Walkthrough: the pipeline on twelve chunks. Every slider asks the server; what changed is marked.
import { Latest, message, post } from "./api";
import { slider, type Control, type Look } from "./controls";
import { debounce, fixed, h, notice, say, show } from "./dom";
import type { Pick } from "./figures";
import { bars } from "./passage";
import { figure, STAGES, type StageName, type Stages } from "./stages";
import { signalHue, onTheme } from "./theme";
import type { View } from "./state";

interface Answer { question: string; budget: number; settings: Record<string, number>; stages: ({ name: StageName } & Record<string, unknown>)[] }

const SLIDERS: [string, Required<globalThis.Pick<Look, "low" | "high" | "step">> & Look][] = [
  ["graph.tau", { symbol: "τ", label: "Weakest edge", low: 0, high: 0.4, step: 0.01 }],
  ["graph.graph_k", { symbol: "k", label: "Edges a chunk keeps", low: 1, high: 20, step: 1 }],
  ["retrieval.seed_count", { label: "Seeds", low: 1, high: 6, step: 1 }],
  ["retrieval.hops", { label: "Hops", low: 0, high: 4, step: 1 }],
  ["proximity.beta", { symbol: "β", label: "Restart", low: 0.01, high: 0.9, step: 0.01 }],
  ["retrieval.alpha", { symbol: "α", label: "Weight of the graph", low: 0, high: 1, step: 0.01 }],
  ["budget", { label: "Budget", low: 0, high: 600, step: 5 }],
  ["utility.redundancy", { symbol: "λ", label: "Redundancy", low: 0, high: 2, step: 0.05 }],
  ["selection.length_power", { symbol: "ρ", label: "Price of length", low: 0, high: 2, step: 0.05 }],
];

export function walkView(): View {
  const question = h("textarea", { rows: "3", dir: "auto", maxLength: 2000, "aria-label": "Question of the walkthrough" });
  const sliders = h("div", { class: "controls" });
  const inspector = h("section", { class: "inspector card", "aria-label": "Inspector", "aria-live": "polite" });
  const steps = h("ol", { class: "stage-nav", "aria-label": "Stages" });
  const stages = h("div", { class: "stages" });
  const status = h("p", { class: "muted status", role: "status" });
  const places = new Map<StageName, { section: HTMLElement; body: HTMLElement; badge: HTMLElement; mark: HTMLElement }>();
  const latest = new Latest();
  const controls = new Map<string, Control>();
  let changes: Record<string, number> = {};
  let budget: number | null = null;
  let first: Answer | null = null;
  let all: Stages | null = null;
  let seen = new Map<StageName, string>();

  const pick: Pick = {
    chunk: null,
    edge: null,
    choose(chunk) {
      pick.chunk = pick.chunk === chunk ? null : chunk;
      pick.edge = null;
      redraw();
      reveal();
    },
    join(a, b) {
      pick.edge = [a, b];
      pick.chunk = null;
      redraw();
      reveal();
    },
    name(chunk) {
      const found = all?.chunk.chunks[chunk];
      return found ? `${found.document.replace(/\.md$/, "")} › ${found.section.at(-1) ?? ""}` : String(chunk + 1);
    },
  };

  STAGES.forEach(({ name, title, about, moved }, i) => {
    const badge = h("span", { class: "badge", hidden: true }, "changed");
    const mark = h("span", { class: "mark", hidden: true, "aria-hidden": "true" });
    const body = h("div", { class: "stage-body" });
    const section = h("section", { class: "card stage-card", id: `stage-${name}`, "aria-labelledby": `title-${name}`, tabIndex: -1 }, h("header", {}, h("span", { class: "number", "aria-hidden": "true" }, String(i + 1)), h("h2", { id: `title-${name}` }, title), badge), h("p", { class: "about" }, about, moved.length > 0 && h("span", { class: "muted" }, ` Moves with ${moved.join(", ")}.`)), body);
    places.set(name, { section, body, badge, mark });
    stages.append(section);
    steps.append(h("li", {}, h("a", { href: `#stage-${name}`, onclick: (event: Event) => { event.preventDefault(); section.scrollIntoView({ behavior: "smooth", block: "start" }); section.focus({ preventScroll: true }); } }, h("span", { class: "number" }, String(i + 1)), title, mark)));
  });

  function redraw(): void {
    if (!all) return;
    for (const { name } of STAGES) {
      const place = places.get(name);
      if (!place) continue;
      const open = place.body.querySelector("details")?.open ?? false;
      const held = place.body.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.chunk : undefined;
      show(place.body, figure(name, all, pick));
      const details = place.body.querySelector("details");
      if (details) details.open = open;
      if (held !== undefined) place.body.querySelector<HTMLElement>(`[data-chunk="${held}"]`)?.focus({ preventScroll: true });
    }
    inspect();
  }

  // On a wide screen the inspector stands beside the figures: scroll its column, never the page.
  function reveal(): void {
    const side = inspector.parentElement;
    if (side && side.scrollHeight > side.clientHeight) side.scrollTop = inspector.offsetTop - side.offsetTop - 8;
  }

  function inspect(): void {
    if (!all) return;
    const { signals, graph, chunk: stage } = all;
    if (pick.edge) {
      const [i, j] = pick.edge;
      const kept = graph.kept.find(([a, b]) => (a === Math.min(i, j) && b === Math.max(i, j)));
      const weight = graph.fused[i]?.[j] ?? 0;
      show(
        inspector,
        h("h2", {}, "Edge"),
        h("p", {}, h("button", { type: "button", class: "link", onclick: () => pick.choose(i) }, pick.name(i)), " — ", h("button", { type: "button", class: "link", onclick: () => pick.choose(j) }, pick.name(j))),
        h("p", {}, `Fused weight ${fixed(weight, 4)}: `, kept ? "kept in W." : weight < graph.tau ? `dropped, below τ = ${fixed(graph.tau)}.` : weight > 0 ? `dropped, not among the ${graph.graph_k} strongest of either end.` : "no edge."),
        h("table", { class: "signal-table" }, h("thead", {}, h("tr", {}, ["signal", "value", "αᵣ", "product"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, Object.entries(signals.values).map(([name, values]) => {
          const value = values[i]?.[j] ?? 0;
          const alpha = signals.weights[name] ?? 0;
          return h("tr", { class: value > 0 ? "" : "zero" }, h("th", { scope: "row" }, h("span", { class: "swatch", "aria-hidden": "true", style: { background: signalHue(name) } }), name), h("td", {}, fixed(value)), h("td", {}, fixed(alpha)), h("td", {}, fixed(value * alpha, 4)));
        }))),
      );
      return;
    }
    if (pick.chunk === null) {
      show(inspector, h("h2", {}, "Inspector"), h("p", { class: "muted" }, "Choose a chunk or an edge in any figure: it is marked in all of them and read out here."));
      return;
    }
    const i = pick.chunk;
    const chunk = stage.chunks[i];
    if (!chunk) return;
    const edges = (graph.fused[i] ?? []).map((weight, j) => ({ j, weight })).filter(({ j, weight }) => j !== i && weight > 0).sort((a, b) => b.weight - a.weight);
    const order = all.selection.passages.find((passage) => passage.id === chunk.id)?.order;
    show(
      inspector,
      h("h2", {}, `Chunk ${i + 1}`),
      h("p", { class: "text framed" }, chunk.text),
      bars({ relevance: all.proximity.relevance[i] ?? 0, proximity: all.proximity.proximity[i] ?? 0, score: all.proximity.score[i] ?? 0 }, "Scores of the chunk"),
      h("p", {}, order === undefined ? "Not chosen." : `Picked ${order + 1}.`, ` Cluster ${all.spectral.clusters[i]}, ${all.expansion.hop[i] == null ? "not reached" : `hop ${all.expansion.hop[i]}`}.`),
      h("h3", {}, "Edges before τ and k"),
      h("ul", { class: "edge-list compact" }, edges.map(({ j, weight }) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => pick.join(i, j) }, pick.name(j)), h("span", { class: "number-cell" }, fixed(weight))))),
      h("p", { class: "id" }, h("code", {}, chunk.id)),
    );
  }

  const ask = debounce(120, () => void load());

  async function load(): Promise<void> {
    status.textContent = "Computing …";
    try {
      const found = await latest.run((signal) => post<Answer>("walkthrough", { ...(question.value.trim() && first ? { question: question.value.trim() } : {}), ...(budget === null ? {} : { budget }), settings: changes }, signal));
      if (!found) return;
      if (!first) setUp(found);
      all = Object.fromEntries(found.stages.map((stage) => [stage.name, stage])) as unknown as Stages;
      const now = new Map(found.stages.map((stage) => [stage.name, JSON.stringify(stage)]));
      const changed = STAGES.filter(({ name }) => seen.size > 0 && seen.get(name) !== now.get(name));
      for (const { name } of STAGES) {
        const place = places.get(name);
        const differs = changed.some((stage) => stage.name === name);
        if (place) place.badge.hidden = place.mark.hidden = !differs;
        place?.section.classList.toggle("differs", differs);
      }
      const text = seen.size === 0 ? "" : changed.length ? `Changed: ${changed.map((stage) => stage.title).join(", ")}.` : "Nothing changed.";
      seen = now;
      status.textContent = text;
      say(text);
      redraw();
    } catch (problem) {
      status.textContent = "";
      if (first) status.textContent = message(problem);
      else show(stages, notice("error", "The walkthrough cannot be computed", message(problem)));
    }
  }

  function setUp(found: Answer): void {
    first = found;
    question.value = found.question;
    for (const [name, look] of SLIDERS) {
      const value = name === "budget" ? found.budget : (found.settings[name] ?? 0);
      const made = slider(name, value, look, (next) => {
        if (name === "budget") budget = next;
        else changes[name] = next;
        ask();
      });
      controls.set(name, made);
      sliders.append(made.element);
    }
  }

  function reset(): void {
    if (!first) return;
    changes = {};
    budget = null;
    question.value = first.question;
    for (const [name, made] of controls) made.set(name === "budget" ? first.budget : first.settings[name]);
    void load();
  }

  question.addEventListener("change", () => void load());
  onTheme(redraw);
  const element = h(
    "div",
    { class: "view walk-view" },
    h("div", { class: "walk-head" }, h("h1", {}, "Walkthrough"), h("p", { class: "lead" }, "Ten stages, twelve chunks of an invented coast, the published settings of the pipeline. Move a value and see which stages change; the real pipeline computes every one.")),
    h("nav", { class: "walk-nav", "aria-label": "Stages of the pipeline" }, steps),
    stages,
    h("aside", { class: "walk-side", "aria-label": "Question, settings and inspector" }, h("div", { class: "card" }, h("div", { class: "settings-head" }, h("h2", {}, "Question and settings"), h("button", { type: "button", class: "quiet", onclick: reset }, "Reset")), question, sliders, status), inspector),
  );
  return {
    element,
    enter() {
      if (!first) void load();
    },
  };
}
