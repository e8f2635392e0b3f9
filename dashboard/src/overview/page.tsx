import { PageHead } from "../ui/page.tsx";

/** Every record, trouble first. */
export function OverviewPage() {
  return <PageHead title="Overview" />;
}
