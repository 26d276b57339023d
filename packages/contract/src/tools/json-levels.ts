import { jsonExcess } from '../http/json-excess.ts';

/**
 * Objects and lists inside of each other that an answer may have which is given to a caller by name. Whatever walks through
 * a value does so with room to spare, and a run can be given again what it was given once.
 */
export const maxJsonLevels = 256;

/** Whether a JSON text is nested deeper than that, seen without parsing it. @param levels others than `maxJsonLevels` */
export function isTooDeep(text: string, levels: number = maxJsonLevels): boolean {
  return jsonExcess(text, { levels, values: Number.POSITIVE_INFINITY }) === 'levels';
}
