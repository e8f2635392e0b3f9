import { PageHead } from "../ui/page.tsx";

/** One record: its tree, its decision in words, its regions and its history. */
export default function RecordPage({ host }: { host: string }) {
  return <PageHead title={host} />;
}
