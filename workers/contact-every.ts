/** How often a cluster's object contacts each coordinator, ms. This leaves room for late alarms within each minute. */
export const CONTACT_EVERY_MS = 50_000;
