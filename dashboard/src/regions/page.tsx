import { PageHead } from "../ui/page.tsx";

/** The regions on the map, and as a table. */
export default function RegionsPage() {
  return <PageHead title="Regions" />;
}
