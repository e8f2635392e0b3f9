import type { Publication, Publisher } from "../publisher.ts";
import type { Zones } from "./respond.ts";
import { buildZones, type ZoneSettings } from "./zone.ts";

/** Publishes through the DNS server of this process. */
export class DnsServerPublisher implements Publisher {
  readonly isDurable = false;
  readonly #serve: (zones: Zones) => void;
  readonly #settings: ZoneSettings;

  constructor(serve: (zones: Zones) => void, settings: ZoneSettings) {
    this.#serve = serve;
    this.#settings = settings;
  }

  async publish({ hosts, serial }: Publication): Promise<void> {
    const published = Object.entries(hosts).map(([rootHost, { served }]) => ({ rootHost, endpoints: served }));
    this.#serve(buildZones(published, serial, this.#settings));
  }

  problems(): [] {
    return [];
  }

  /** Zones are replaced as a whole, so nothing is left of a record that is gone. */
  holds(): boolean {
    return false;
  }

  async recheck(): Promise<void> {}

  stop(): void {}
}
