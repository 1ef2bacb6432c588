// The drawn web: sigma and graphology behind a small surface of our own.
import Graph from "graphology";
import Sigma from "sigma";
import type { Drawing, Frame } from "./api";
import { faded, hue, signalHue, token } from "./theme";

export type Colour = "community" | "document";
export interface Handlers { node(id: string): void; edge(source: string, target: string): void; stage(): void }

const MOST_NODES = 3000;
const MOST_DIMMED = 500;
const REACH = 7;
const SLOW = 45;

interface NodeData { x: number; y: number; size: number; label: string; cluster: number; document: number; degree: number; pinned: number; color: string }
interface EdgeData { weight: number; signal: string; size: number; color: string; values: number[]; fresh?: boolean }

export function hasWebGL(): boolean {
  try {
    return document.createElement("canvas").getContext("webgl2") !== null;
  } catch {
    return false;
  }
}

export class Canvas {
  readonly graph = new Graph<NodeData, EdgeData>({ type: "undirected", multi: false });
  private readonly renderer: Sigma<NodeData, EdgeData>;
  private documents = new Map<string, number>();
  private clock = 0;
  colour: Colour = "community";
  readonly hidden = new Set<string>();
  least = 0;
  private selected: string | null = null;
  private near = new Set<string>();
  private edgeSelected: string | null = null;
  private hovered: string | null = null;
  private lit: Map<string, { stage: string; value: number }> | null = null;
  private litEdges = new Map<string, number>();
  private litAt = 0;
  private settled = false;
  private roomy = true;
  private moved = 0;
  private slow = 0;
  private theme = Canvas.read();

  constructor(readonly place: HTMLElement, handlers: Handlers) {
    this.renderer = new Sigma<NodeData, EdgeData>(this.graph, place, {
      labelFont: "system-ui, sans-serif",
      labelSize: 12,
      labelDensity: 0.5,
      labelGridCellSize: 140,
      labelRenderedSizeThreshold: 5,
      minEdgeThickness: 1,
      zIndex: true,
      allowInvalidContainer: true,
      minCameraRatio: 0.02,
      maxCameraRatio: 3,
      stagePadding: 48,
      labelColor: { attribute: "labelColour", color: this.theme.text },
      defaultDrawNodeLabel: (context, data, settings) => this.drawLabel(context, data, settings),
      defaultDrawNodeHover: (context, data, settings) => this.drawHover(context, data, settings),
      nodeReducer: (id, data) => this.node(id, data),
      edgeReducer: (id, data) => this.edge(id, data),
    });
    // The library reads a pixel back for every move of the mouse, which makes it wait for the whole drawing; asking the
    // places of the nodes does not (version pinned, and a test clicks).
    Object.assign(this.renderer, { getNodeAtPosition: (at: { x: number; y: number }) => this.nodeAt(at.x, at.y) });
    this.renderer.on("clickNode", ({ node }) => handlers.node(node));
    this.renderer.on("clickStage", ({ event }) => {
      const edge = this.edgeAt(event.x, event.y);
      if (edge) handlers.edge(this.graph.source(edge), this.graph.target(edge));
      else handlers.stage();
    });
    this.renderer.on("enterNode", ({ node }) => this.hover(node));
    this.renderer.on("leaveNode", () => this.hover(null));
    this.renderer.getCamera().on("updated", () => this.pace());
    place.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => {
      this.renderer.resize();
      this.renderer.refresh({ skipIndexation: true });
    }).observe(place);
    // Where a node or the middle of an edge stands on the page: for scripts that drive this view.
    Object.assign(place, { locate: (id: string, other?: string) => this.locate(id, other) });
  }

  private static read(): { bg: string; text: string; muted: string; line: string; surface: string; accent: string; seed: string; faint: string } {
    return { bg: token("--bg"), text: token("--text"), muted: token("--muted"), line: token("--line"), surface: token("--surface"), accent: token("--accent"), seed: token("--seed"), faint: token("--faint") };
  }

  retheme(): void {
    this.theme = Canvas.read();
    this.renderer.setSetting("labelColor", { color: this.theme.text });
    this.recolour();
  }

  private recolour(): void {
    this.graph.updateEachNodeAttributes((_, data) => ({ ...data, color: hue(this.colour === "community" ? data.cluster : data.document) }), { attributes: ["color"] });
    this.tint();
    this.renderer.refresh();
  }

  // Many edges are drawn thin and pale, so that what is near each other stays to be seen.
  private tint(): void {
    const crowd = this.graph.size;
    const [part, width] = crowd > 2500 ? [0.22, 0.7] : crowd > 600 ? [0.45, 1] : [0.9, 1.8];
    this.graph.updateEachEdgeAttributes((_, data) => ({ ...data, color: faded(signalHue(data.signal), this.theme.bg, Math.min(1, part * (0.6 + data.weight))), size: width * (0.7 + Math.min(1, data.weight)) }), { attributes: ["color", "size"] });
  }

  setColour(colour: Colour): void {
    this.colour = colour;
    this.recolour();
  }

  groupOf(name: string): number {
    return this.documents.get(name) ?? -1;
  }

  clear(): void {
    this.graph.clear();
    this.documents.clear();
    this.selected = this.edgeSelected = this.hovered = null;
    this.near.clear();
  }

  // Adds a drawing to what is there; the nodes that were added longest ago make room.
  add(drawing: Drawing): void {
    const { nodes, edges } = drawing;
    this.clock += 1;
    const groups = nodes.documents.map((name) => {
      if (!this.documents.has(name)) this.documents.set(name, this.documents.size);
      return this.documents.get(name) as number;
    });
    nodes.id.forEach((id, i) => {
      if (this.graph.hasNode(id)) {
        this.graph.setNodeAttribute(id, "pinned", this.clock);
        return;
      }
      const cluster = nodes.cluster[i] as number;
      const group = groups[nodes.document[i] as number] as number;
      const degree = nodes.degree[i] as number;
      const dot = 3 + Math.min(5, Math.sqrt(degree) * 0.8);
      this.graph.addNode(id, { x: nodes.x[i] as number, y: nodes.y[i] as number, size: nodes.id.length > 800 ? dot * 0.7 : dot, label: nodes.label[i] as string, cluster, document: group, degree, pinned: this.clock, color: hue(this.colour === "community" ? cluster : group) });
    });
    edges.source.forEach((from, i) => {
      const source = nodes.id[from] as string;
      const target = nodes.id[edges.target[i] as number] as string;
      if (this.graph.hasEdge(source, target)) return;
      const signal = drawing.signals[edges.signal[i] as number] as string;
      const weight = edges.weight[i] as number;
      this.graph.addEdge(source, target, { weight, signal, size: 1, color: signalHue(signal), values: edges.values[i] as number[] });
    });
    if (this.graph.order > MOST_NODES) {
      const old = this.graph.mapNodes((id, data) => [data.pinned, id] as const).sort((a, b) => a[0] - b[0]);
      for (const [, id] of old.slice(0, this.graph.order - MOST_NODES)) this.graph.dropNode(id);
    }
    // New edges must be known to the renderer before their looks may change.
    this.renderer.refresh();
    this.tint();
  }

  refresh(): void {
    this.renderer.refresh();
  }

  select(id: string | null, edge: [string, string] | null = null): void {
    this.selected = id;
    this.near = new Set(id !== null && this.graph.hasNode(id) ? this.graph.neighbors(id) : (edge ?? []));
    this.edgeSelected = edge && this.graph.hasEdge(edge[0], edge[1]) ? (this.graph.edge(edge[0], edge[1]) as string) : null;
    this.renderer.refresh({ skipIndexation: true });
  }

  private hover(id: string | null): void {
    this.place.style.cursor = id ? "pointer" : "";
    // Among many nodes the label alone is shown: dimming all others would paint the whole web anew.
    if (this.graph.order > MOST_DIMMED) return;
    this.hovered = id;
    this.renderer.refresh({ skipIndexation: true });
  }

  // Lights what the frames up to `number` reached; null puts everything back.
  light(frames: Frame[] | null, number = 0): void {
    this.lit = frames ? new Map() : null;
    this.litAt = number;
    this.settled = frames?.[number]?.name === "chosen";
    this.roomy = (frames?.[number]?.nodes.length ?? 0) <= (this.place.clientWidth > 640 ? 20 : 6);
    this.litEdges.clear();
    for (const [i, frame] of (frames ?? []).slice(0, number + 1).entries()) {
      const most = Math.max(1e-9, ...frame.nodes.map((node) => Math.abs(node.value)));
      for (const node of frame.nodes) {
        const before = this.lit?.get(node.id);
        const stage = before && frame.name === "flow" ? before.stage : frame.name;
        this.lit?.set(node.id, { stage, value: Math.max(0.15, Math.abs(node.value) / most) });
      }
      for (const edge of frame.edges) {
        if (!this.graph.hasNode(edge.source) || !this.graph.hasNode(edge.target)) continue;
        if (!this.graph.hasEdge(edge.source, edge.target)) this.graph.addEdge(edge.source, edge.target, { weight: 0, signal: "flow", size: 1.5, color: signalHue("flow"), values: [], fresh: true });
        this.litEdges.set(this.graph.edge(edge.source, edge.target) as string, i);
      }
    }
    this.renderer.refresh();
  }

  frame(ids: string[], padding = 1.4): void {
    const there = ids.filter((id) => this.graph.hasNode(id));
    if (!there.length) return;
    const spots = there.map((id) => this.renderer.getNodeDisplayData(id)).filter((spot) => spot !== undefined);
    if (!spots.length) return;
    const xs = spots.map((spot) => spot.x);
    const ys = spots.map((spot) => spot.y);
    const width = Math.max(...xs) - Math.min(...xs);
    const height = Math.max(...ys) - Math.min(...ys);
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    void this.renderer.getCamera().animate({ x: (Math.max(...xs) + Math.min(...xs)) / 2, y: (Math.max(...ys) + Math.min(...ys)) / 2, ratio: Math.min(1.1, Math.max(0.12, padding * Math.max(width, height))), angle: 0 }, { duration: still ? 0 : 450 });
  }

  fit(): void {
    void this.renderer.getCamera().animatedReset({ duration: 300 });
  }

  zoom(inwards: boolean): void {
    const camera = this.renderer.getCamera();
    void (inwards ? camera.animatedZoom({ duration: 200 }) : camera.animatedUnzoom({ duration: 200 }));
  }

  locate(id: string, other?: string): { x: number; y: number } | null {
    if (!this.graph.hasNode(id) || !this.graph.hasNode(other ?? id)) return null;
    const [a, b] = [this.spot(id), this.spot(other ?? id)];
    const box = this.place.getBoundingClientRect();
    return { x: box.x + (a.x + b.x) / 2, y: box.y + (a.y + b.y) / 2 };
  }

  // Where frames come slowly while the camera moves (no graphics card, many edges), edges rest until it stops.
  private pace(): void {
    const now = performance.now();
    const since = now - this.moved;
    this.moved = now;
    if (since > 1000) return;
    this.slow = since > SLOW ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow >= 4 && !this.renderer.getSetting("hideEdgesOnMove")) {
      this.renderer.setSetting("hideEdgesOnMove", true);
      this.renderer.setSetting("hideLabelsOnMove", true);
    }
  }

  private nodeAt(x: number, y: number): string | null {
    let best: string | null = null;
    let least = 1;
    this.graph.forEachNode((id) => {
      const shown = this.renderer.getNodeDisplayData(id);
      if (!shown || shown.hidden) return;
      const at = this.spot(id);
      const reach = this.renderer.scaleSize(shown.size) + 2;
      const part = Math.hypot(at.x - x, at.y - y) / reach;
      if (part < least) [least, best] = [part, id];
    });
    return best;
  }

  // The drawn edge within a few pixels of a point: thin lines are hard to hit, so their neighbourhood counts.
  private edgeAt(x: number, y: number): string | null {
    let best: string | null = null;
    let least = REACH;
    this.graph.forEachEdge((edge, data, source, target) => {
      if (this.renderer.getEdgeDisplayData(edge)?.hidden) return;
      const [a, b] = [this.spot(source), this.spot(target)];
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const part = Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)));
      const away = Math.hypot(x - a.x - part * dx, y - a.y - part * dy) - data.size / 2;
      if (away < least) [least, best] = [away, edge];
    });
    return best;
  }

  private spot(id: string): { x: number; y: number } {
    const { x, y } = this.graph.getNodeAttributes(id);
    return this.renderer.graphToViewport({ x, y });
  }

  private key(event: KeyboardEvent): void {
    const camera = this.renderer.getCamera();
    const { x, y, ratio } = camera.getState();
    const step = 0.12 * ratio;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => camera.setState({ x: x - step }),
      ArrowRight: () => camera.setState({ x: x + step }),
      ArrowUp: () => camera.setState({ y: y + step }),
      ArrowDown: () => camera.setState({ y: y - step }),
      "+": () => this.zoom(true),
      "=": () => this.zoom(true),
      "-": () => this.zoom(false),
      "0": () => this.fit(),
    };
    const move = moves[event.key];
    if (!move || event.target !== this.place) return;
    event.preventDefault();
    move();
  }

  private node(id: string, data: NodeData): Record<string, unknown> {
    if (this.lit) {
      const lit = this.lit.get(id);
      if (!lit) return { ...data, color: this.theme.faint, label: null, size: data.size * 0.7, zIndex: 0 };
      const chosen = lit.stage === "chosen";
      const colour = chosen ? this.theme.accent : lit.stage === "seeds" ? this.theme.seed : hue(4);
      const size = 4 + (chosen ? 7 : 6) * Math.sqrt(lit.value);
      if (this.settled && !chosen && id !== this.selected) return { ...data, color: colour, size: 0.6 * size, label: null, zIndex: 1 };
      return { ...data, color: colour, size, forceLabel: (chosen && this.roomy) || id === this.selected, zIndex: chosen ? 3 : 2, highlighted: id === this.selected };
    }
    const focus = this.hovered ?? this.selected;
    if (id === this.selected) return { ...data, size: data.size + 3, highlighted: true, forceLabel: true, zIndex: 3 };
    if (id === this.hovered) return { ...data, highlighted: true, zIndex: 3 };
    if (focus !== null || this.edgeSelected !== null) {
      const beside = this.near.has(id) || (this.hovered !== null && this.graph.areNeighbors(this.hovered, id));
      return beside ? { ...data, forceLabel: this.near.size < 9, zIndex: 2 } : { ...data, color: this.theme.faint, label: null, zIndex: 0 };
    }
    return data as unknown as Record<string, unknown>;
  }

  private edge(id: string, data: EdgeData): Record<string, unknown> {
    if (this.lit) {
      const at = this.litEdges.get(id);
      if (at === undefined) return { ...data, hidden: true };
      return at === this.litAt ? { ...data, color: this.theme.accent, size: 2.2, zIndex: 2 } : { ...data, color: this.theme.line, size: 1, zIndex: 1 };
    }
    if (data.fresh || this.hidden.has(data.signal) || data.weight < this.least) return { ...data, hidden: true };
    if (id === this.edgeSelected) return { ...data, color: signalHue(data.signal), size: 5, zIndex: 3 };
    const focus = this.hovered ?? this.selected;
    if (focus !== null) return this.graph.hasExtremity(id, focus) ? { ...data, color: signalHue(data.signal), size: 1.5 + data.size, zIndex: 2 } : { ...data, hidden: true };
    return data as unknown as Record<string, unknown>;
  }

  // A label with a rim in the colour of the ground, so that edges do not cross its letters.
  private drawLabel(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number; label?: string | null }, settings: { labelSize: number; labelFont: string }): void {
    if (!data.label) return;
    context.font = `${settings.labelSize}px ${settings.labelFont}`;
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = this.theme.bg;
    context.fillStyle = this.theme.text;
    const [left, base] = [data.x + data.size + 4, data.y + settings.labelSize / 3];
    context.strokeText(data.label, left, base);
    context.fillText(data.label, left, base);
  }

  // A label on a plate in the colours of the theme (the library's own is white).
  private drawHover(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number; label?: string | null; color: string }, settings: { labelSize: number; labelFont: string }): void {
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
    context.strokeStyle = this.theme.text;
    context.lineWidth = 2;
    context.stroke();
    if (!data.label) return;
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    const width = context.measureText(data.label).width + 14;
    const [left, top] = [data.x + data.size + 4, data.y - 12];
    context.fillStyle = this.theme.surface;
    context.strokeStyle = this.theme.line;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(left, top, width, 24, 6);
    context.fill();
    context.stroke();
    context.fillStyle = this.theme.text;
    context.fillText(data.label, left + 6, data.y + settings.labelSize / 3);
  }
}
