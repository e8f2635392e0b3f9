import { PageHead } from "../ui/page.tsx";

/** What has happened, the newest first. */
export default function EventsPage() {
  return <PageHead title="Events" />;
}
