import { describe, expect, it } from "vitest";
import { Contact } from "./contact.ts";

describe("contact with the edge", () => {
  const at = (wasSilent = false) => {
    const clock = { ms: 1_000 };
    return { clock, contact: new Contact(300_000, wasSilent, () => clock.ms) };
  };

  it("is awaited from the start, and silence counted from there at the earliest", () => {
    const { clock, contact } = at();
    expect(contact.state).toBe("Awaited");
    clock.ms += 299_999;
    expect(contact.state).toBe("Awaited");
    clock.ms += 1;
    expect(contact.state).toBe("Silent");
  });

  it("starts anew with each word", () => {
    const { clock, contact } = at();
    clock.ms += 200_000;
    contact.heard();
    clock.ms += 299_999;
    expect(contact.state).toBe("Heard");
    clock.ms += 1;
    expect(contact.state).toBe("Silent");
    contact.heard();
    expect(contact.state).toBe("Heard");
  });

  it("that was lost before a restart is lost after it, until the edge is heard", () => {
    const { contact } = at(true);
    expect(contact.state).toBe("Silent");
    contact.heard();
    expect(contact.state).toBe("Heard");
  });
});
