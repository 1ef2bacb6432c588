// Review: lint, gaps and contradictions of the index, each with a way into the web.
import { get, message, type Finding } from "./api";
import { h, notice, plural, say, show } from "./dom";
import { asked, go, type View } from "./state";

interface Lint { chunks: number; documents: number; worst: string | null; findings: Finding[] }
interface Gaps { findings: Finding[]; questions: { question: string; gaps: { text: string; weight: number; known: boolean }[] }[] }
interface Contradictions { count: number; note: string; pairs: { first: string; second: string; question: string; texts: [string, string] }[] }

const FEW = 5;

export function reviewView(): View {
  const lint = h("div", {});
  const gaps = h("div", {});
  const contradictions = h("div", {});
  const again = h("button", { type: "button", class: "quiet" }, "Look again");
  let done = false;

  async function section<T>(place: HTMLElement, path: string, what: string, draw: (data: T) => (HTMLElement | null)[]): Promise<void> {
    show(place, notice("busy", "Looking …"));
    try {
      show(place, draw(await get<T>(path)));
    } catch (problem) {
      show(place, notice("error", `${what} cannot be read`, message(problem)));
    }
  }

  function load(): void {
    done = true;
    void Promise.all([
      section<Lint>(lint, "lint", "The lint", (data) => (data.findings.length ? data.findings.map(finding) : [notice("empty", "Nothing found", `${plural(data.chunks, "chunk")} of ${plural(data.documents, "document")} look sound.`)])),
      section<Contradictions>(contradictions, "contradictions", "The contradictions", drawContradictions),
      section<Gaps>(gaps, "gaps", "The gaps", drawGaps),
    ]).then(() => say("The review is ready."));
  }

  function example(ids: string[], text: string): HTMLElement {
    if (!ids.length) return h("li", {}, h("span", { dir: "auto" }, text));
    const rest = text.slice(ids.join(" | ").length).replace(/^: /, "");
    return h("li", {}, ids.map((id, i) => [i > 0 && h("span", { class: "muted" }, " | "), h("a", { href: `#web?chunk=${encodeURIComponent(id)}`, dir: "auto" }, id)]), rest && h("p", { class: "muted", dir: "auto" }, rest));
  }

  function finding(each: Finding): HTMLElement {
    const rows = each.examples.map((text, i) => example(each.passages[i] ?? [], text));
    return h(
      "article",
      { class: `card finding ${each.severity}` },
      h("header", {}, h("span", { class: `tag ${each.severity}` }, each.severity), h("h3", {}, each.kind), h("span", { class: "muted" }, `${each.count.toLocaleString("en")} · ${(100 * each.share).toFixed(1)} %`)),
      h("p", {}, each.advice),
      each.note && h("p", { class: "muted" }, each.note),
      h("ul", { class: "examples" }, rows.slice(0, FEW)),
      rows.length > FEW && h("details", {}, h("summary", {}, `${rows.length - FEW} more`), h("ul", { class: "examples" }, rows.slice(FEW))),
    );
  }

  function drawContradictions(data: Contradictions): HTMLElement[] {
    if (!data.pairs.length) return [notice("empty", "No contradictions found", "Without a model they are found among near-copies only; expect misses.")];
    return data.pairs.map((pair) =>
      h(
        "article",
        { class: "card contradiction" },
        h("div", { class: "two" }, [pair.first, pair.second].map((id, i) => h("div", {}, h("a", { href: `#web?chunk=${encodeURIComponent(id)}`, dir: "auto" }, id), h("p", { class: "text", dir: "auto" }, pair.texts[i])))),
        h("footer", {}, h("span", { dir: "auto" }, pair.question), h("button", { type: "button", class: "quiet", onclick: () => (asked.question = pair.question, go("ask", { q: pair.question })) }, "Ask it"), h("button", { type: "button", class: "quiet", onclick: () => go("web", { edge: pair.first, to: pair.second }) }, "See the edge")),
      ),
    );
  }

  function drawGaps(data: Gaps): HTMLElement[] {
    const rows = data.questions.map((each) => h("article", { class: "card" }, h("h3", { dir: "auto" }, each.question), h("ul", { class: "examples" }, each.gaps.map((gap) => h("li", { dir: "auto" }, `${gap.text}: ${Math.round(100 * gap.weight)} % of the question, ${gap.known ? "known elsewhere in the index" : "nowhere in the index"}`)))));
    const parts: HTMLElement[] = [];
    if (rows.length) parts.push(h("h3", { class: "group" }, "Questions asked with Flow or Wave"), ...rows);
    if (data.findings.length) parts.push(h("h3", { class: "group" }, "Weak places of the web"), ...data.findings.map(finding));
    return parts.length ? parts : [notice("empty", "No gaps known", "Questions asked with Flow or Wave leave their gaps here.")];
  }

  again.addEventListener("click", load);
  const part = (id: string, title: string, about: string, body: HTMLElement): HTMLElement => h("section", { "aria-labelledby": id }, h("h2", { id }, title), h("p", { class: "muted" }, about), body);
  const element = h(
    "div",
    { class: "view review-view" },
    h("div", { class: "page-head" }, h("h1", {}, "Review"), again),
    h("div", { class: "review-columns" }, part("lint-title", "Lint", "What is wrong with the index, worst first.", lint), part("contradictions-title", "Contradictions", "Passages that oppose each other.", contradictions), part("gaps-title", "Gaps", "What no passage speaks of, and what nothing links to.", gaps)),
  );
  return {
    element,
    enter() {
      if (!done) load();
    },
  };
}
