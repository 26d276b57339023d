/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An object, as it is; anything else is one without members. What a document says is not believed to have its form. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Whether it is an object of JSON, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list, as it is; anything else is an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text, as it is; anything else is an empty one. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The texts of a list. */
export function asTexts(value: unknown): readonly string[] {
  return asList(value).filter((one) => typeof one === 'string');
}

/** A member of its own, never an inherited one: `constructor` may be a name like any other. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A value from its text; undefined where that is no JSON, which no value of JSON is. */
export function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
