// Sliders, choices and switches, all of one look; each knows the value it started from.
import { fixed, fresh, h } from "./dom";
import type { Setting } from "./api";

export interface Control {
  element: HTMLElement;
  set(value: unknown): void;
}

export interface Look { label?: string; note?: string; low?: number; high?: number; step?: number; symbol?: string }

export function slider(name: string, value: number, look: Required<Pick<Look, "low" | "high" | "step">> & Look, change: (value: number) => void): Control {
  const id = fresh("slider");
  const first = value;
  const range = h("input", { id, type: "range", min: String(look.low), max: String(look.high), step: String(look.step), name });
  const box = h("input", { type: "number", class: "value", min: String(look.low), max: String(look.high), step: String(look.step), "aria-label": `${look.label ?? name}, exact` });
  const element = h(
    "div",
    { class: "control", "data-setting": name, title: name },
    h("label", { for: id, class: "control-name" }, look.symbol && h("span", { class: "symbol" }, look.symbol), h("span", { class: "control-label" }, look.label ?? name), look.label && look.label !== name && h("code", {}, name)),
    box,
    range,
    look.note && h("p", { class: "control-note" }, look.note),
  );
  const put = (next: number): void => {
    range.value = String(next);
    box.value = fixed(next, 4);
    range.style.setProperty("--part", `${(100 * (Number(range.value) - look.low)) / (look.high - look.low || 1)}%`);
    element.classList.toggle("moved", Math.abs(next - first) > 1e-9);
  };
  range.addEventListener("input", () => {
    put(Number(range.value));
    change(Number(range.value));
  });
  box.addEventListener("change", () => {
    const next = Math.min(look.high, Math.max(look.low, Number(box.value)));
    if (Number.isFinite(next)) {
      put(next);
      change(next);
    } else put(Number(range.value));
  });
  put(value);
  return { element, set: (next) => put(Number(next)) };
}

export function choice(name: string, value: string, options: string[], look: Look, change: (value: string) => void): Control {
  const id = fresh("choice");
  const select = h("select", { id, name }, options.map((option) => h("option", { value: option }, option)));
  const element = h(
    "div",
    { class: "control", "data-setting": name },
    h("label", { for: id, class: "control-name" }, h("span", { class: "control-label" }, look.label ?? name), look.label && look.label !== name && h("code", {}, name)),
    select,
  );
  const first = value;
  const put = (next: string): void => {
    select.value = next;
    element.classList.toggle("moved", next !== first);
  };
  select.addEventListener("change", () => {
    put(select.value);
    change(select.value);
  });
  put(value);
  return { element, set: (next) => put(String(next)) };
}

export function flag(name: string, value: boolean, look: Look, change: (value: boolean) => void): Control {
  const id = fresh("flag");
  const box = h("input", { id, type: "checkbox", name, checked: value });
  const element = h("div", { class: "control flag", "data-setting": name }, box, h("label", { for: id, class: "control-name" }, h("span", { class: "control-label" }, look.label ?? name)));
  const first = value;
  box.addEventListener("change", () => {
    element.classList.toggle("moved", box.checked !== first);
    change(box.checked);
  });
  return { element, set: (next) => ((box.checked = Boolean(next)), element.classList.toggle("moved", Boolean(next) !== first)) };
}

// The control that fits a setting of the index; null where a page has none for it.
export function control(setting: Setting, look: Look, change: (value: unknown) => void): Control | null {
  if (setting.kind === "choice") return choice(setting.name, String(setting.value), setting.choices ?? [], look, change);
  if (setting.kind === "flag") return flag(setting.name, Boolean(setting.value), look, change);
  if (setting.kind === "string" || typeof setting.value !== "number") return null;
  const low = look.low ?? setting.low ?? 0;
  const high = look.high ?? Math.min(setting.high ?? Infinity, Math.max(10, 4 * setting.value));
  const step = look.step ?? (setting.kind === "integer" ? 1 : high - low <= 1 ? 0.01 : 0.05);
  return slider(setting.name, setting.value, { ...look, low, high, step }, change);
}

export function segmented<T extends string>(label: string, value: T, options: [T, string][], change: (value: T) => void): HTMLElement {
  const name = fresh("segment");
  return h(
    "fieldset",
    { class: "segmented" },
    h("legend", { class: "hidden" }, label),
    options.map(([option, text]) => {
      const id = fresh("option");
      const input = h("input", { type: "radio", id, name, value: option, checked: option === value });
      input.addEventListener("change", () => change(option));
      return [input, h("label", { for: id }, text)];
    }),
  );
}
