import type { Message } from "./messages.ts";
import { refuse } from "./refusal.ts";
import type { ServerHello } from "./server-hello.ts";
import type { Session, Stage } from "./session.ts";
export class Handshake12 implements Stage {
  readonly open = false;
  constructor(_s: Session, _h: ServerHello) {
    refuse("protocol_version", "TLS 1.2 to come");
  }
  message(_m: Message): Stage {
    return this;
  }
  changeCipherSpec(): void {}
}
