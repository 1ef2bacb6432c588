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
}

export const asked: Asked = { question: "", budget: 1000, engine: "set", settings: {}, spread: {}, without: [], parts: [] };

export interface View {
  element: HTMLElement;
  enter(parameters: URLSearchParams): void;
  leave?(): void;
}

export function go(view: string, parameters: Record<string, string> = {}): void {
  const query = new URLSearchParams(parameters).toString();
  location.hash = query ? `${view}?${query}` : view;
}

// The fields of a request for the question as it stands.
export function fields(): Record<string, unknown> {
  const common = { question: asked.question, budget: asked.budget, settings: asked.settings };
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
