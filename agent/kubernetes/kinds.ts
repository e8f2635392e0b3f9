import { API_VERSION } from "../../shared/model/manifest.ts";

/** A kind of object and where the API server serves it. */
export interface Kind {
  apiVersion: string;
  kind: string;
  plural: string;
  namespaced: boolean;
}

const namespaced = (apiVersion: string, kind: string, plural: string): Kind => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});

export const DNS_RECORD = namespaced(API_VERSION, "DNSRecord", "dnsrecords");
export const DNS_HEALTH_CHECK_PROBE = namespaced(API_VERSION, "DNSHealthCheckProbe", "dnshealthcheckprobes");
export const DNS_HEALTH_CHECK_POLICY = namespaced(API_VERSION, "DNSHealthCheckPolicy", "dnshealthcheckpolicies");
export const GATEWAY = namespaced("gateway.networking.k8s.io/v1", "Gateway", "gateways");
export const DNS_ENDPOINT = namespaced("externaldns.k8s.io/v1alpha1", "DNSEndpoint", "dnsendpoints");
export const SECRET = namespaced("v1", "Secret", "secrets");
export const EVENT = namespaced("v1", "Event", "events");
export const LEASE = namespaced("coordination.k8s.io/v1", "Lease", "leases");
export const NAMESPACE: Kind = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", namespaced: false };
