// Elements without innerHTML: whatever a document says reaches the page as text.

type Child = Node | string | number | null | undefined | false;
export type Children = Child | Children[];
type Props = Record<string, unknown>;

const SVG = "http://www.w3.org/2000/svg";

function fill(element: Element, props: Props, children: Children[]): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "style") {
      // Through the object model: a style attribute would be against the page's own policy.
      for (const [key, part] of Object.entries(value as Record<string, string>))
        (element as HTMLElement).style.setProperty(key, part);
    } else if (name === "class") element.setAttribute("class", String(value));
    else if (name in element && typeof value !== "string" && !(element instanceof SVGElement)) (element as unknown as Props)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
}

function append(element: Element, children: Children[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== false) element.append(String(child));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Children[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, props, children);
  return element;
}

export function svg(tag: string, props: Props = {}, ...children: Children[]): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  fill(element, props, children);
  return element;
}

export function show(place: Element, ...children: Children[]): void {
  place.replaceChildren();
  append(place, children);
}

export function say(text: string): void {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

export function debounce<A extends unknown[]>(milliseconds: number, run: (...values: A) => void): (...values: A) => void {
  let timer: number | undefined;
  return (...values) => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => run(...values), milliseconds);
  };
}

let count = 0;
export const fresh = (name: string): string => `${name}-${++count}`;

export const plural = (n: number, one: string, many = `${one}s`): string => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export function fixed(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) >= 1000 ? value.toFixed(0) : value.toFixed(digits).replace(/\.?0+$/, "") || "0";
}

export function notice(kind: "empty" | "error" | "busy", title: string, text = "", ...more: Children[]): HTMLElement {
  return h("div", { class: `notice ${kind}`, role: kind === "error" ? "alert" : undefined }, h("p", { class: "notice-title" }, title), text && h("p", {}, text), ...more);
}

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without a secure context (another machine over http) there is no clipboard: select and copy by hand.
    const area = h("textarea", { class: "hidden", value: text });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
