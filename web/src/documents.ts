// Adding documents, where the server was started with --allow-ingest.
import { message, upload } from "./api";
import { h, notice, plural, show } from "./dom";

interface Added { documents: number; chunks: number; skipped: { source: string; reason: string }[]; warnings: string[] }

export function documentsButton(): HTMLElement {
  const files = h("input", { type: "file", multiple: true, id: "files" });
  const result = h("div", { "aria-live": "polite" });
  const send = h("button", { type: "submit", class: "primary" }, "Add to the index");
  const form = h("form", { method: "dialog" }, h("label", { for: "files" }, "Files"), files, h("p", { class: "muted" }, "Their names become labels; nothing is read from or written to a path of that name."), result, h("div", { class: "dialog-buttons" }, h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close"), send));
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, h("h2", { id: "dialog-title" }, "Add documents"), form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void add();
  });

  async function add(): Promise<void> {
    const chosen = [...(files.files ?? [])];
    if (!chosen.length) return show(result, notice("empty", "Choose some files first"));
    send.disabled = true;
    show(result, notice("busy", "Indexing …"));
    try {
      const report = await upload<Added>(chosen);
      show(result, notice("empty", `The index holds ${plural(report.documents, "document")} as ${plural(report.chunks, "chunk")} now.`, "", report.skipped.length > 0 && h("ul", {}, report.skipped.map((each) => h("li", { dir: "auto" }, `${each.source}: ${each.reason}`))), h("button", { type: "button", onclick: () => location.reload() }, "Reload the page")));
    } catch (problem) {
      show(result, notice("error", "The documents were not added", message(problem)));
    } finally {
      send.disabled = false;
    }
  }

  const button = h("button", { type: "button", class: "quiet", onclick: () => dialog.showModal() }, "Add documents");
  return h("span", {}, button, dialog);
}
