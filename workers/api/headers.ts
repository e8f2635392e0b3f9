const HEADERS = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
};

/** The answer with the headers that all of the API have. What says nothing of caches is for the one who asked. */
export function withHeaders(answer: Response): Response {
  // The answer that opens a WebSocket goes to no page.
  if (answer.webSocket) return answer;
  const response = new Response(answer.body, answer);
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "private, no-store");
  return response;
}
