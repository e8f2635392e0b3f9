import { useState } from "preact/hooks";
import { ApiError, postJson, remove } from "../api/client.ts";
import { startOver, useView } from "../api/store.ts";
import { navigate } from "../router.ts";
import { PageHead } from "../ui/page.tsx";
import "./login.css";

/** Logs in with a token, and logs out. */
export default function LoginPage() {
  const role = useView((view) => (view.needsLogin ? undefined : view.overview?.role));
  const isIn = role === "viewer" || role === "admin";
  return (
    <div class="login">
      <PageHead title={isIn ? "Access" : "Log in"} />
      {isIn ? <Inside role={role} /> : <LoginForm isPublic={role === "public"} />}
    </div>
  );
}

function Inside({ role }: { role: string }) {
  const leave = async () => {
    await remove("/v1/session").catch(() => {});
    await startOver();
  };
  return (
    <div class="card padded login-card">
      <p>
        You see this page as <b>{role}</b>.
      </p>
      <p class="muted small">
        Logging out ends the session of this browser. Where reads are open to all, it changes nothing.
      </p>
      <button type="button" onClick={() => void leave()}>
        Log out
      </button>
    </div>
  );
}

function LoginForm({ isPublic }: { isPublic: boolean }) {
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const enter = async (event: SubmitEvent) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget as HTMLFormElement).get("token");
    setBusy(true);
    try {
      await postJson("/v1/session", { token });
      await startOver();
      if (location.pathname === "/login") navigate("/", { replace: true });
    } catch (error) {
      setFault(error instanceof ApiError ? faultWords(error) : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="card padded login-card" onSubmit={(event) => void enter(event)}>
      <p class="muted">
        {isPublic
          ? "The overview is open to all. Records, events and clusters ask for the view token of this installation."
          : "This installation shows itself to those who have its view token."}
      </p>
      {/* Password managers store a password under a user name. */}
      <input type="text" name="username" autocomplete="username" value="vedette" readOnly hidden />
      <label for="token">Token</label>
      <input
        id="token"
        name="token"
        type="password"
        required
        autocomplete="current-password"
        aria-invalid={fault !== undefined}
        aria-describedby="token-note"
      />
      <p
        id="token-note"
        class={fault === undefined ? "muted small" : "login-fault"}
        role={fault === undefined ? undefined : "alert"}
      >
        {fault ?? "VIEW_TOKEN or ADMIN_TOKEN of the Worker. It is kept as a session cookie, and not by this page."}
      </p>
      <button class="primary" type="submit" disabled={isBusy}>
        {isBusy ? "Asking" : "Log in"}
      </button>
    </form>
  );
}

function faultWords({ status, message }: ApiError): string {
  if (status === 401) return "The token does not fit. Mind blanks at its ends, and that it is of this installation.";
  return status === 0 ? "The edge does not answer. Try again in a moment." : message;
}
