// The frame of the page: views by the part after #, the name of the index, light and dark.
import { ApiError, get, message, setToken, takeToken } from "./api";
import { askView } from "./ask";
import { documentsButton } from "./documents";
import { h, notice, plural, say, show } from "./dom";
import { reviewView } from "./review";
import type { View } from "./state";
import { themeButton } from "./theme";
import { walkView } from "./walk";
import { webView } from "./web";

interface Info { index: string; chunks: number; documents: number; allow_ingest: boolean; embedder: { kind?: string } }

const MAKERS: Record<string, () => View> = { ask: askView, web: webView, walkthrough: walkView, review: reviewView };
const TITLES: Record<string, string> = { ask: "Ask", web: "Web", walkthrough: "Walkthrough", review: "Review" };
const made = new Map<string, View>();
let current: string | null = null;

function route(focus: boolean): void {
  const [name = "", query = ""] = location.hash.slice(1).split("?");
  if (name && !(name in MAKERS)) return;
  const wanted = name || "ask";
  const main = document.getElementById("main") as HTMLElement;
  if (current !== wanted) {
    if (current) made.get(current)?.leave?.();
    let view = made.get(wanted);
    if (!view) {
      view = (MAKERS[wanted] as () => View)();
      made.set(wanted, view);
    }
    show(main, view.element);
    current = wanted;
    document.title = `${TITLES[wanted]} · Gossamer`;
    document.body.dataset.view = wanted;
    for (const link of document.querySelectorAll<HTMLAnchorElement>(".views a")) {
      if (link.hash === `#${wanted}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (focus) {
      main.focus({ preventScroll: true });
      window.scrollTo(0, 0);
      say(TITLES[wanted] as string);
    }
  }
  made.get(wanted)?.enter(new URLSearchParams(query));
}

function askForToken(text: string): void {
  const field = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
  const form = h("form", { class: "card token-form" }, h("h1", {}, "Token needed"), h("p", {}, text), h("label", { for: "token" }, "Token"), field, h("button", { type: "submit", class: "primary" }, "Open"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    setToken(field.value.trim());
    void start();
  });
  show(document.getElementById("main") as HTMLElement, form);
  field.focus();
}

async function start(): Promise<void> {
  const tools = document.getElementById("tools") as HTMLElement;
  show(tools, themeButton());
  try {
    const info = await get<Info>("info");
    const name = info.index.split(/[\\/]/).filter(Boolean).at(-1) ?? info.index;
    show(tools, h("span", { class: "index-name", title: `${info.index}: ${plural(info.documents, "document")}, ${plural(info.chunks, "chunk")}, embedder ${info.embedder.kind ?? "?"}` }, h("strong", { dir: "auto" }, name), h("span", { class: "muted" }, `${plural(info.chunks, "chunk")}`)), info.allow_ingest && documentsButton(), themeButton());
    window.addEventListener("hashchange", () => route(true));
    route(false);
  } catch (problem) {
    if (problem instanceof ApiError && problem.status === 401) askForToken(problem.message);
    else show(document.getElementById("main") as HTMLElement, notice("error", "The index cannot be read", message(problem), h("button", { type: "button", onclick: () => void start() }, "Try again")));
  }
}

takeToken();
void start();
