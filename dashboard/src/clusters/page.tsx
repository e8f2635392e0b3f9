import { PageHead } from "../ui/page.tsx";

/** How the clusters and their agents do. */
export default function ClustersPage() {
  return <PageHead title="Clusters" />;
}
