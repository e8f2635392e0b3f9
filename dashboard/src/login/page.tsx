import { PageHead } from "../ui/page.tsx";

/** Asks for a token. */
export default function LoginPage() {
  return <PageHead title="Log in" />;
}
