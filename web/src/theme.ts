// Light and dark: as the system says, until the reader chooses.
import { h } from "./dom";

const KEY = "gossamer-theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];

export const isDark = (): boolean => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
export const onTheme = (run: () => void): void => void listeners.push(run);
export const token = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function themeButton(): HTMLElement {
  const kept = localStorage.getItem(KEY);
  if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  const button = h("button", { type: "button", class: "quiet icon" });
  const name = (): void => {
    button.textContent = isDark() ? "☀" : "☾";
    button.setAttribute("aria-label", isDark() ? "Use the light theme" : "Use the dark theme");
    button.title = button.getAttribute("aria-label") ?? "";
  };
  const tell = (): void => {
    name();
    for (const run of listeners) run();
  };
  button.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    localStorage.setItem(KEY, next);
    tell();
  });
  system.addEventListener("change", tell);
  name();
  return button;
}

// Twelve hues a reader can tell apart on both grounds; groups past the twelfth share them.
const LIGHT = ["#2a78b8", "#d0652b", "#3d9150", "#b5467e", "#7a63b8", "#a3801a", "#1d9293", "#c2474a", "#6d8f1f", "#5b6fd0", "#98623c", "#6a7880"];
const DARK = ["#6db3ea", "#f0975f", "#79c98a", "#e58ab8", "#b3a0ec", "#d9b955", "#5ccbca", "#f08a8a", "#b0cc62", "#9aa9f5", "#d3a07c", "#aab6bd"];
export const hue = (group: number): string => (group < 0 ? (isDark() ? "#7d878f" : "#8a949b") : ((isDark() ? DARK : LIGHT)[group % 12] as string));

// A colour on its way to the ground, as opaque colour: what a thin line looks like from afar.
export function faded(colour: string, ground: string, part: number): string {
  const read = (hex: string): number[] => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const [one, other] = [read(colour), read(ground)];
  return `#${one.map((value, i) => Math.round(value * part + (other[i] ?? 0) * (1 - part)).toString(16).padStart(2, "0")).join("")}`;
}

const SIGNALS_LIGHT: Record<string, string> = { semantic: "#2a78b8", section: "#a3801a", entity: "#3d9150", adjacency: "#7c868d", utility: "#b5467e", citation: "#c2474a", flow: "#7a63b8" };
const SIGNALS_DARK: Record<string, string> = { semantic: "#6db3ea", section: "#d9b955", entity: "#79c98a", adjacency: "#9aa5ad", utility: "#e58ab8", citation: "#f08a8a", flow: "#b3a0ec" };
export const signalHue = (name: string): string => (isDark() ? SIGNALS_DARK : SIGNALS_LIGHT)[name] ?? "#888888";
