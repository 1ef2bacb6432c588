// The JSON API of this server; shapes are those of `gossamer … --json` (docs/json.md).

export interface Edge { source: string; weight: number; signals: Record<string, number>; entities: string[]; label?: string }
export interface Why { reason: string; parts: Record<string, number>; ranks: Record<string, number>; hop: number | null; edges: Edge[]; cluster: number | null }
export interface Passage {
  id: string; document: string; title: string; section: string[]; position: number; text: string; tokens: number; score: number; order: number;
  page: number | null; why: Why; energy?: number; votes?: number; sources?: string[]; hop?: number;
}
export type Pieces = [string, string][];
export interface Found {
  gossamer: "query" | "rank" | "retrieve"; question: string; passages: Passage[]; evidence: Record<string, Pieces>; context: string; tokens: number;
  token_budget: number; timings: Record<string, number>; warnings: string[]; objective?: Record<string, number>;
  confidence?: number | { probability: number | null; energy: number; nodes: number; depth: number } | null;
  refusal?: string | null; gaps?: { text: string; weight: number; known: boolean }[]; contradictions?: Opposed[]; stop_reason?: string;
  ledger?: Record<string, number>; reached?: number; in_context?: string[]; bridges?: { passage: string; strength: number; parts: string[] }[];
  paths?: { steps: { passage: string; energy: number; hop: number; through: string[] }[]; part: string }[];
}
export interface Opposed { first: string; second: string; left: string; right: string; subject: string; question: string; current: string | null }
export interface Plain { name: string; about: string; tokens: number; passages: { id: string; title: string; document: string; section: string[]; text: string; tokens: number; rank: number }[] }
export interface Setting { name: string; value: unknown; kind: "integer" | "number" | "choice" | "flag" | "string"; low?: number; high?: number | null; choices?: string[] }
export interface SettingsView { preset: string; settings: Setting[]; spreading: Setting[]; profile: Record<string, number | string> }
export interface Drawing {
  chunks: number; whole: boolean; signals: string[]; weights: Record<string, number>; clusters: Record<string, string>;
  nodes: { id: string[]; label: string[]; x: number[]; y: number[]; cluster: number[]; document: number[]; documents: string[]; degree: number[] };
  edges: { source: number[]; target: number[]; weight: number[]; signal: number[]; values: number[][] };
}
export interface Frame { name: string; nodes: { id: string; value: number }[]; edges: { source: string; target: string; value: number }[] }
export interface ChunkView {
  id: string; document: string; title: string; section: string[]; position: number; page: number | null; text: string; tokens: number; cluster: number;
  metadata: Record<string, unknown>; entities: { name: string; chunks: number }[]; questions: string[]; degree: number; edges: Edge[];
}
export interface EdgeView {
  source: string; target: string; labels: string[]; weight: number; flow: number; signals: Record<string, number>; weights: Record<string, number>;
  entities: string[]; texts: string[];
}
export interface Finding { kind: string; severity: string; count: number; share: number; examples: string[]; advice: string; note: string; passages: string[][] }

export class ApiError extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

const KEY = "gossamer-token";

// The token comes behind # in the printed address and is kept for this tab only.
export function takeToken(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given === null) return;
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", `${location.pathname}#ask`);
}

export function setToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

async function request<T>(path: string, init: RequestInit): Promise<T> {
  const headers = new Headers(init.headers);
  const token = sessionStorage.getItem(KEY);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers });
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new ApiError("The server cannot be reached. Look whether `gossamer serve` still runs.", 0);
  }
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(data.message ?? `The server answered ${response.status}. Try again.`, response.status);
  return data as T;
}

export function get<T>(path: string, values: Record<string, string | number> = {}, signal?: AbortSignal): Promise<T> {
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));
  return request<T>(`/api/${path}${query.size ? `?${query}` : ""}`, { signal });
}

export function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return request<T>(`/api/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
}

export function upload<T>(files: File[]): Promise<T> {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  return request<T>("/api/documents", { method: "POST", body: form });
}

// One request at a time for one purpose: a newer one ends the older one.
export class Latest {
  private running: AbortController | null = null;

  async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.running?.abort();
    const mine = (this.running = new AbortController());
    try {
      const found = await work(mine.signal);
      return mine.signal.aborted ? undefined : found;
    } catch (problem) {
      if (mine.signal.aborted) return undefined;
      throw problem;
    }
  }
}

export const message = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));
