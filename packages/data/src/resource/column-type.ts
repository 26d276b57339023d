/** What is bound for the values of a field. `json` is text whose numbers may be read as numbers, too. */
export type StoredForm = 'integer' | 'real' | 'text' | 'json' | 'blob';

/** What SQLite makes of the values of a column, by the name of its type. */
export type Affinity = 'integer' | 'text' | 'blob' | 'real' | 'numeric';

/** The affinity that a type name has (https://www.sqlite.org/datatype3.html, 3.1). */
export function affinityOf(type: string): Affinity {
  if (/int/i.test(type)) return 'integer';
  if (/char|clob|text/i.test(type)) return 'text';
  if (type === '' || /blob/i.test(type)) return 'blob';
  return /real|floa|doub/i.test(type) ? 'real' : 'numeric';
}

/**
 * Whether a column cannot keep such values: they are refused, or read as another type. What may do well is let be: `numeric`,
 * which dates and booleans of others have, and what has that affinity by accident, as POINT has it.
 *
 * @param isStrict the table is STRICT: it refuses what another would keep as it is
 */
export function contradicts(form: StoredForm, type: string, isStrict: boolean): boolean {
  if (/point/i.test(type)) return false;
  const affinity = affinityOf(type);
  const isNumber = form === 'integer' || form === 'real';
  if (isStrict) {
    // `any` keeps all as it is.
    if (affinity === 'numeric' || affinity === form) return false;
    if (affinity === 'text') return form !== 'json';
    return affinity !== 'real' || form !== 'integer';
  }
  if (affinity === 'text') return isNumber;
  return form === 'text' && (affinity === 'integer' || affinity === 'real');
}
