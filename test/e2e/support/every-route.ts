import { z } from "zod";

const parameter = z.looseObject({ name: z.string(), in: z.string() });
const operation = z.looseObject({
  parameters: z.array(parameter).default([]),
  requestBody: z.looseObject({}).optional(),
  responses: z.record(z.string(), z.unknown()),
});
const document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });

/** One route as the edge describes it: what is served is what its OpenAPI document lists. */
export interface Operation {
  name: string;
  method: string;
  path: string;
  parameters: string[];
  isSigned: boolean;
  hasBody: boolean;
  isStream: boolean;
}

/** All routes of the edge; those that end something come last. */
export async function everyRoute(edgeUrl: string): Promise<Operation[]> {
  const { paths } = document.parse(await (await fetch(`${edgeUrl}/openapi.json`)).json());
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody, responses }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: parameters.filter((one) => one.in === "path").map(({ name }) => name),
      isSigned: parameters.some(({ name }) => name === "webhook-signature"),
      hasBody: requestBody !== undefined,
      isStream: "101" in responses,
    })),
  );
  const isEnd = ({ method }: Operation) => (method === "DELETE" ? 1 : 0);
  return operations.toSorted((a, b) => isEnd(a) - isEnd(b));
}

/** The path with a value in the place of each parameter; an unknown parameter is an error of the test. */
export function filled({ name, path }: Operation, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = values[parameter];
    if (value === undefined) throw new Error(`${name}: tell this test what {${parameter}} may stand for`);
    return encodeURIComponent(value);
  });
}
