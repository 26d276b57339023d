/** A value that a schema takes, for somebody to change: what it names itself first, else one of its type. */
export function sampleValue(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return 'text';
  const { default: given, examples, enum: some, const: only, anyOf, type } = schema as Schema;
  const named = [given, only, ...(examples ?? []), ...(some ?? [])].find((one) => one !== undefined);
  if (named !== undefined) return named;
  if (anyOf) return sampleValue(anyOf[0]);
  return ofType(Array.isArray(type) ? type[0] : type, schema);
}

/** The parameters that a tool asks for. */
export function sampleArguments(inputSchema: object): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = inputSchema as Schema;
  return Object.fromEntries(required.map((name) => [name, sampleValue(properties[name])]));
}

interface Schema {
  readonly default?: unknown;
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly minimum?: number;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

function ofType(type: unknown, schema: Schema): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return sampleArguments(schema);
    default:
      return schema.format === 'date' ? '2026-01-31' : 'text';
  }
}
