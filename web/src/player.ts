// Plays a question in the web: seeds, hops, flow and the chosen passages, step by step.
import { Latest, message, post, type Drawing, type Frame } from "./api";
import { h, plural, say, show } from "./dom";
import { asked, fields } from "./state";

export interface Stage { load(web: Drawing): void; light(frames: Frame[] | null, number: number): void; labels(ids: string[]): string[]; open(id: string): void }

const PAUSE = 1300;

export function player(stage: Stage): { element: HTMLElement; play(): Promise<void>; stop(): void } {
  const question = h("input", { type: "text", dir: "auto", maxLength: 20000, placeholder: "Ask, and watch it spread", "aria-label": "Question to play" });
  const start = h("button", { type: "submit", class: "primary" }, "Play");
  const engine = h("select", { "aria-label": "Engine" }, [["set", "Set"], ["flow", "Flow"], ["wave", "Wave"]].map(([value, text]) => h("option", { value }, text)));
  const steps = h("ol", { class: "steps", "aria-label": "Steps" });
  const back = h("button", { type: "button", class: "quiet icon", "aria-label": "Step back", disabled: true }, "‹");
  const next = h("button", { type: "button", class: "quiet icon", "aria-label": "Step on", disabled: true }, "›");
  const end = h("button", { type: "button", class: "quiet", hidden: true }, "End");
  const list = h("ul", { class: "step-list", "aria-label": "Passages of this step" });
  const note = h("p", { class: "step-note" });
  const bar = h("div", { class: "player-steps", hidden: true }, back, steps, next, end);
  const form = h("form", { class: "player-form" }, question, engine, start);
  const element = h("section", { class: "player card", "aria-label": "Play a question" }, form, bar, note, list);
  const latest = new Latest();
  let frames: Frame[] = [];
  let at = 0;
  let timer: number | undefined;

  function put(number: number): void {
    at = Math.max(0, Math.min(frames.length - 1, number));
    const frame = frames[at];
    if (!frame) return;
    stage.light(frames, at);
    back.disabled = at === 0;
    next.disabled = at === frames.length - 1;
    show(steps, frames.map((each, i) => h("li", {}, h("button", { type: "button", class: i === at ? "step current" : i < at ? "step past" : "step", "aria-current": i === at ? "step" : undefined, onclick: () => (halt(), put(i)) }, each.name, h("span", { class: "count" }, String(each.nodes.length))))));
    const text = `${frame.name}: ${plural(frame.nodes.length, "passage")}`;
    note.textContent = text;
    say(text);
    const shown = frame.nodes.slice(0, 8);
    const names = stage.labels(shown.map((node) => node.id));
    show(list, shown.map((node, i) => h("li", {}, h("button", { type: "button", class: "link", dir: "auto", onclick: () => stage.open(node.id) }, names[i] ?? node.id))), frame.nodes.length > shown.length && h("li", { class: "muted" }, `and ${frame.nodes.length - shown.length} more`));
  }

  function halt(): void {
    window.clearTimeout(timer);
    start.textContent = "Play";
  }

  function tick(): void {
    if (at >= frames.length - 1) return halt();
    put(at + 1);
    timer = window.setTimeout(tick, PAUSE);
  }

  async function play(): Promise<void> {
    if (!asked.question) {
      question.focus();
      note.textContent = "Write a question first.";
      return;
    }
    halt();
    question.value = asked.question;
    engine.value = asked.engine;
    note.textContent = "Searching …";
    try {
      const found = await latest.run((signal) => post<{ frames: Frame[]; web: Drawing }>("play", { ...fields(), engine: asked.engine }, signal));
      if (!found) return;
      frames = found.frames.filter((frame) => frame.nodes.length);
      if (!frames.length) {
        stop();
        note.textContent = "Nothing speaks to this question: no passage lights up.";
        return;
      }
      stage.load(found.web);
      bar.hidden = end.hidden = false;
      put(0);
      start.textContent = "Play again";
      timer = window.setTimeout(tick, PAUSE);
    } catch (problem) {
      note.textContent = message(problem);
      note.setAttribute("role", "alert");
    }
  }

  function stop(): void {
    halt();
    frames = [];
    bar.hidden = end.hidden = true;
    show(list);
    note.textContent = "";
    stage.light(null, 0);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    asked.question = question.value.trim();
    void play();
  });
  engine.addEventListener("change", () => (asked.engine = engine.value as typeof asked.engine));
  back.addEventListener("click", () => (halt(), put(at - 1)));
  next.addEventListener("click", () => (halt(), put(at + 1)));
  end.addEventListener("click", stop);
  return { element, play, stop };
}
