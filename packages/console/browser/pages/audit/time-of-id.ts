const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The moment in an id of the log, epoch milliseconds; undefined where it is no such id. */
export function timeOfId(id: string): number | undefined {
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)) return undefined;
  return Array.from(id.slice(0, 10)).reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0);
}
