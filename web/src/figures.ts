// Small figures of twelve chunks: matrices, a graph, a plane. Drawn from what the server computed, nothing is worked out here.
import { fixed, svg } from "./dom";
import { hue } from "./theme";

export interface Pick { chunk: number | null; edge: [number, number] | null; choose(chunk: number): void; join(a: number, b: number): void; name(chunk: number): string }

const CELL = 17;

export function matrix(values: number[][], label: string, colour: string, pick: Pick): SVGElement {
  const n = values.length;
  const size = n * CELL + 20;
  const most = Math.max(1e-9, ...values.flatMap((row, i) => row.filter((_, j) => j !== i)));
  const cells = values.flatMap((row, i) =>
    row.map((value, j) => {
      const on = i !== j && value > 0;
      const chosen = pick.edge && ((pick.edge[0] === i && pick.edge[1] === j) || (pick.edge[0] === j && pick.edge[1] === i));
      return svg(
        "rect",
        {
          x: 20 + j * CELL, y: 20 + i * CELL, width: CELL - 1, height: CELL - 1, rx: 2,
          class: `cell${i === j ? " diagonal" : ""}${chosen ? " chosen" : ""}${pick.chunk === i || pick.chunk === j ? " row" : ""}${on ? " on" : ""}`,
          fill: on ? colour : undefined,
          "fill-opacity": on ? String(0.15 + 0.85 * (value / most)) : undefined,
          onclick: i === j ? () => pick.choose(i) : on ? () => pick.join(i, j) : undefined,
        },
        svg("title", {}, i === j ? pick.name(i) : `${pick.name(i)} – ${pick.name(j)}: ${fixed(value, 3)}`),
      );
    }),
  );
  const ticks = values.flatMap((_, i) => [
    svg("text", { x: 20 + i * CELL + CELL / 2, y: 13, class: pick.chunk === i ? "tick chosen" : "tick", "text-anchor": "middle", onclick: () => pick.choose(i) }, String(i + 1)),
    svg("text", { x: 13, y: 20 + i * CELL + CELL * 0.72, class: pick.chunk === i ? "tick chosen" : "tick", "text-anchor": "end", onclick: () => pick.choose(i) }, String(i + 1)),
  ]);
  return svg("svg", { viewBox: `0 0 ${size} ${size}`, class: "figure matrix", role: "img", "aria-label": label }, ticks, cells);
}

type Spot = [number, number];

// Spots that would cover each other, moved apart by as little as it takes.
function apart(spots: Spot[], radii: number[]): Spot[] {
  const moved = spots.map(([x, y]): Spot => [x, y]);
  for (let round = 0; round < 40; round++) {
    for (let i = 0; i < moved.length; i++) {
      for (let j = 0; j < i; j++) {
        const [a, b] = [moved[i] as Spot, moved[j] as Spot];
        const [dx, dy] = [a[0] - b[0] || 0.01 * (i - j), a[1] - b[1]];
        const gap = (radii[i] as number) + (radii[j] as number) + 2 - Math.hypot(dx, dy);
        if (gap <= 0) continue;
        const step = gap / 2 / Math.hypot(dx, dy);
        a[0] += dx * step;
        a[1] += dy * step;
        b[0] -= dx * step;
        b[1] -= dy * step;
      }
    }
  }
  return moved;
}

export interface Dot { x: number; y: number; colour: string; radius?: number; ring?: boolean; faint?: boolean; note?: string }

// Dots with numbers, lines between them; every dot is a button.
export function plane(dots: Dot[], lines: { ends: [number, number]; weight: number; dashed?: boolean; colour?: string }[], label: string, pick: Pick): SVGElement {
  const [width, height, rim] = [460, 320, 34];
  const xs = dots.map((dot) => dot.x);
  const ys = dots.map((dot) => dot.y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const at = (dot: Dot): Spot => [
    rim + ((dot.x - left) / (right - left || 1)) * (width - 2 * rim),
    height - rim - ((dot.y - low) / (high - low || 1)) * (height - 2 * rim),
  ];
  const spotsAt = apart(dots.map(at), dots.map((dot) => dot.radius ?? 12));
  const most = Math.max(1e-9, ...lines.map((line) => line.weight));
  const drawn = lines.map(({ ends: [i, j], weight, dashed, colour }) => {
    const [x1, y1] = spotsAt[i] as Spot;
    const [x2, y2] = spotsAt[j] as Spot;
    const chosen = pick.edge && ((pick.edge[0] === i && pick.edge[1] === j) || (pick.edge[0] === j && pick.edge[1] === i));
    return svg(
      "g",
      { class: `wire${dashed ? " dashed" : ""}${chosen ? " chosen" : ""}`, onclick: () => pick.join(i, j), "data-edge": `${i}-${j}` },
      svg("line", { x1, y1, x2, y2, class: "touch" }),
      svg("line", { x1, y1, x2, y2, class: "seen", "stroke-width": 0.8 + 3.2 * (weight / most), stroke: colour }),
      svg("title", {}, `${pick.name(i)} – ${pick.name(j)}: ${fixed(weight, 3)}${dashed ? " (dropped)" : ""}`),
    );
  });
  const spots = dots.map((dot, i) => {
    const [x, y] = spotsAt[i] as Spot;
    const radius = dot.radius ?? 12;
    const open = (): void => pick.choose(i);
    return svg(
      "g",
      {
        class: `spot${pick.chunk === i ? " chosen" : ""}${dot.faint ? " faint" : ""}`, tabindex: 0, role: "button", "data-chunk": i,
        "aria-label": `Chunk ${i + 1}, ${pick.name(i)}${dot.note ? `, ${dot.note}` : ""}`,
        onclick: open,
        onkeydown: (event: KeyboardEvent) => { if (event.key === "Enter" || event.key === " ") (event.preventDefault(), open()); },
      },
      dot.ring && svg("circle", { cx: x, cy: y, r: radius + 4, class: "ring" }),
      svg("circle", { cx: x, cy: y, r: radius, fill: dot.colour, class: "disc" }),
      svg("text", { x, y: y + 4, "text-anchor": "middle", class: "spot-number" }, String(i + 1)),
      svg("title", {}, `${pick.name(i)}${dot.note ? `: ${dot.note}` : ""}`),
    );
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "figure plane", role: "group", "aria-label": label }, drawn, spots);
}

export const hopColour = (hop: number | null): string => (hop === null ? hue(-1) : hop === 0 ? "var(--seed)" : hue([1, 4, 0, 2][hop % 4] as number));
