import { Component, type ComponentChildren } from "preact";
import { ErrorNote } from "./states.tsx";

/** Says that what is in it cannot be drawn, instead of leaving nothing there. Another `key` tries anew. */
export class Boundary extends Component<{ children: ComponentChildren }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static override getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render({ children }: { children: ComponentChildren }) {
    if (!this.state.isBroken) return children;
    return (
      <>
        <h1 class="visually-hidden">This page cannot be shown</h1>
        <ErrorNote title="This page cannot be shown">
          <p>
            What the edge answered is not what this page knows: another version may have been deployed. DNS goes on with
            what was last decided.
          </p>
          <p>
            <button type="button" onClick={() => location.reload()}>
              Reload
            </button>
          </p>
        </ErrorNote>
      </>
    );
  }
}
