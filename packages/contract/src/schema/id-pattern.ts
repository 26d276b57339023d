/**
 * The form of what `Host.newId` makes, a ULID in capitals, as a pattern of JSON Schema. A place in a listing that is no
 * id sorts somewhere among them, and would be taken and ignored.
 */
export const idPattern = '^[0-7][0-9A-HJKMNP-TV-Z]{25}$';
