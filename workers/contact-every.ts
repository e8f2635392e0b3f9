/** A cluster's object gives each coordinator its regular word so often, in milliseconds: at least each minute, alarms may be late. */
export const CONTACT_EVERY_MS = 50_000;
