/** The schema of a wire record: all members present, no others. */
export function closedObject(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
