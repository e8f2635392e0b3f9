import { targetsInForce } from "./addresses.ts";
import type { Finding } from "./finding.ts";
import type { Gateway } from "./gateway.ts";
import { type Attachment, policiesOf, policyFor } from "./policy-attachment.ts";

/** What is to be said of a Gateway to every policy that holds it or a listener of it. */
export function gatewayFindings(gateway: Gateway, attachment: Attachment): Finding[] {
  const hostless = gateway.listeners.flatMap(({ name, host }): Finding[] => {
    const policy = policyFor(attachment, gateway, name)?.key;
    if (policy === undefined || host !== undefined) return [];
    return [{ policy, kind: "Note", message: "It has no host name: there is no record of it.", about: name }];
  });
  const messages = [
    ...addressMessages(gateway),
    ...gateway.unreadable.map(({ why }) => `${why}. Records that exist stay.`),
  ];
  const notes = policiesOf(attachment, gateway).flatMap(({ key }) =>
    messages.map((message): Finding => ({ policy: key, kind: "Note", message })),
  );
  return [...hostless, ...notes];
}

function addressMessages({ addresses }: Gateway): string[] {
  const { unsupported, unreadable: unread } = addresses;
  const { ips, hosts } = targetsInForce(addresses, []);
  const isMixed = ips.length > 0 && hosts.length > 0;
  const isEmpty = ips.length + hosts.length === 0;
  return [
    ...(isEmpty ? ["The Gateway has no address: records that exist keep their last ones."] : []),
    ...(isMixed ? [`Left out beside IP addresses, since a name cannot have both: ${hosts.join(", ")}.`] : []),
    ...(unsupported.length > 0 ? [`Left out, for DNS cannot hold them: ${unsupported.join(", ")}.`] : []),
    ...(unread.length > 0
      ? [`Addresses that cannot be read, so that none is taken away until they can: ${unread.join(", ")}.`]
      : []),
  ];
}
