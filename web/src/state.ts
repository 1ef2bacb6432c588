// What the views share: the question as it stands, and how to go from one view to another.

export type Engine = "set" | "flow" | "wave";

export interface Asked {
  question: string;
  budget: number;
  engine: Engine;
  settings: Record<string, unknown>;
  spread: Record<string, unknown>;
  without: string[];
  parts: string[];
  where: string[];
}

export const asked: Asked = { question: "", budget: 1000, engine: "set", settings: {}, spread: {}, without: [], parts: [], where: [] };

export interface View {
  element: HTMLElement;
  enter(parameters: URLSearchParams): void;
  leave?(): void;
}

export function go(view: string, parameters: Record<string, string> = {}): void {
  const query = new URLSearchParams(parameters).toString();
  location.hash = query ? `${view}?${query}` : view;
}

// KEY=VALUE lines as conditions; a key that stands twice holds for any of its values.
export function where(): { where?: Record<string, string[]> } {
  const found: Record<string, string[]> = {};
  for (const line of asked.where) {
    const at = line.indexOf("=");
    if (at > 0) (found[line.slice(0, at).trim()] ??= []).push(line.slice(at + 1).trim());
  }
  return Object.keys(found).length ? { where: found } : {};
}

// The fields of a request for the question as it stands.
export function fields(): Record<string, unknown> {
  const common = { question: asked.question, budget: asked.budget, settings: asked.settings, ...where() };
  if (asked.engine === "set") return common;
  const { profile, damping, threshold, width, ...others } = asked.spread;
  const named = Object.fromEntries(Object.entries({ profile, damping, threshold, width }).filter(([, value]) => value !== undefined));
  return {
    ...common,
    ...named,
    engine: asked.engine,
    spread: others,
    ...(asked.without.length ? { without: asked.without } : {}),
    ...(asked.parts.length ? { parts: asked.parts } : {}),
  };
}
