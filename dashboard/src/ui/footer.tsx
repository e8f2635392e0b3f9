import { useView } from "../api/store.ts";

/** The foot of all pages: as whom one sees them, and where machines ask. */
export function Footer() {
  const role = useView((view) => view.overview?.role);
  return (
    <footer class="foot">
      {role !== undefined && role !== "public" && <a href="/login">Seen as {role}</a>}
      <a href="/openapi.json">API</a>
    </footer>
  );
}
