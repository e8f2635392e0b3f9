import type { Notification } from "../../../shared/model/notification.ts";
import { signatureHeaders } from "../../../shared/signature.ts";
import { linkOf, severityOf, titleOf } from "../change-text.ts";
import { type Format, JSON_TYPE } from "../message.ts";

/** JSON by the schema in `shared/model/notification.ts`, signed like deliveries (Standard Webhooks) if there is a secret. */
export const generic: Format<"generic"> = {
  capacity: { changes: 100, rest: "Split" },
  request({ id, at, changes }, { name, url, secret }, { publicUrl, nowMs }) {
    const notification: Notification = {
      version: 1,
      id,
      at,
      target: name,
      changes: changes.map((change) => {
        const link = linkOf(change, publicUrl);
        return { ...change, severity: severityOf(change), title: titleOf(change), ...(link !== undefined && { link }) };
      }),
    };
    const body = JSON.stringify(notification);
    const signed = secret === undefined ? { "webhook-id": id } : signatureHeaders(secret, id, body, nowMs);
    return { url, headers: { ...JSON_TYPE, ...signed }, body };
  },
};
