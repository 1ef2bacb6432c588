// One passage of a result: its place, its text with the evidence marked, and why it is there.
import type { Passage, Pieces } from "./api";
import { fixed, h, plural, type Children } from "./dom";
import { go } from "./state";

// The heading that a passage opens with stands above it already.
function withoutHeading(pieces: Pieces): Pieces {
  const text = pieces.map(([part]) => part).join("");
  let drop = /^(#+ [^\n]*\n\s*)+/.exec(text)?.[0].length ?? 0;
  if (drop >= text.length) return pieces;
  return pieces.flatMap(([part, kind]): Pieces => {
    const cut = Math.min(drop, part.length);
    drop -= cut;
    return cut === part.length ? [] : [[part.slice(cut), kind]];
  });
}

export function marked(pieces: Pieces | undefined, text: string): HTMLElement {
  const place = h("p", { class: "text", dir: "auto" });
  for (const [part, kind] of withoutHeading(pieces ?? [[text, ""]])) place.append(kind ? h("mark", { class: kind, title: kind === "question" ? "word of the question" : "name on an edge of the set" }, part) : part);
  return place;
}

export function heading(title: string, section: string[], document: string): HTMLElement {
  const path = [...(title ? [title] : []), ...(section[0] === title ? section.slice(1) : section)];
  return h("span", { class: "path", dir: "auto" }, path.length ? path.map((part, i) => [i > 0 && h("span", { class: "sep", "aria-hidden": "true" }, " › "), part]) : document);
}

export function bars(values: Record<string, number>, label: string): HTMLElement {
  const shown = Object.entries(values).filter(([, value]) => Math.abs(value) > 5e-4);
  const most = Math.max(1e-9, ...shown.map(([, value]) => Math.abs(value)));
  return h(
    "ul",
    { class: "bars", "aria-label": label },
    shown.map(([name, value]) =>
      h(
        "li",
        {},
        h("span", { class: "bar-name" }, name.replaceAll("_", " ")),
        h("span", { class: "bar-track", "aria-hidden": "true" }, h("span", { class: value < 0 ? "bar minus" : "bar", style: { width: `${(100 * Math.abs(value)) / most}%` } })),
        h("span", { class: "bar-value" }, `${value > 0 ? "+" : ""}${fixed(value, 3)}`),
      ),
    ),
  );
}

export function chips(...values: (string | false | null | undefined)[]): HTMLElement {
  return h("ul", { class: "chips" }, values.filter(Boolean).map((value) => h("li", {}, value as string)));
}

export interface Around { number: number; pieces?: Pieces; missedBy: string[]; inContext: boolean; open?: (id: string) => void }

export function card(passage: Passage, around: Around): HTMLElement {
  const { why } = passage;
  const ranks = Object.entries(why.ranks).map(([name, rank]) => `${name} ${rank}`);
  const edges = why.edges.map((edge) =>
    h(
      "li",
      {},
      h("a", { href: `#web?edge=${encodeURIComponent(edge.source)}&to=${encodeURIComponent(passage.id)}`, dir: "auto" }, `from ${edge.source}`),
      chips(...Object.entries(edge.signals).map(([name, value]) => `${name} ${fixed(value, 2)}`)),
      edge.entities.length > 0 && h("span", { class: "through", dir: "auto" }, `through ${edge.entities.join(", ")}`),
    ),
  );
  const details: Children[] = [];
  if (edges.length) details.push(h("h4", {}, "Edges to what was picked before"), h("ul", { class: "edges" }, edges));
  if (Object.keys(why.parts).length) details.push(h("h4", {}, "Terms of its utility when it was picked"), bars(why.parts, "Terms of the utility"));
  if ((passage.sources?.length ?? 0) > 1) details.push(h("h4", {}, "Said by"), chips(...(passage.sources ?? [])));
  return h(
    "article",
    { class: around.inContext ? "card passage" : "card passage outside", "data-id": passage.id, "aria-label": `Passage ${around.number}: ${passage.title || passage.document}` },
    h(
      "header",
      {},
      h("span", { class: "number", "aria-hidden": "true" }, String(around.number)),
      h("h3", {}, heading(passage.title, passage.section, passage.document)),
      h("button", { class: "quiet", type: "button", onclick: () => go("web", { chunk: passage.id }), "aria-label": `Show ${passage.id} in the web` }, "In the web"),
    ),
    marked(around.pieces, passage.text),
    h("p", { class: "reason" }, h("strong", {}, "Why: "), why.reason, "."),
    chips(
      `picked ${passage.order + 1}.`,
      passage.energy !== undefined && `energy ${fixed(passage.energy, 3)}`,
      (passage.votes ?? 1) > 1 && `${passage.votes} votes`,
      why.hop === null ? "not within two edges of a seed" : why.hop === 0 ? "seed" : `hop ${why.hop}`,
      ...ranks,
      plural(passage.tokens, "token"),
      !around.inContext && "past the budget",
    ),
    around.missedBy.length > 0 && h("p", { class: "missed" }, `Not found by ${around.missedBy.join(" or ")} in this budget.`),
    details.length > 0 && h("details", {}, h("summary", {}, edges.length ? plural(edges.length, "edge") + " and terms" : "Terms"), ...details),
    h("p", { class: "id" }, h("code", { dir: "auto" }, passage.id), passage.page !== null && ` page ${passage.page}`),
  );
}
