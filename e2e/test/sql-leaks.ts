/** Words of the driver, of statements of ours, of tables of ours, and of this machine. */
const words =
  /SQLITE_|SqliteError|SqlFault|libsql|drizzle|no such (?:table|column|function)|syntax error|unrecognized token|\bnear \\?"|constraint failed|prepare|returning "|order by "|where "|insert into "|svc_|app\.db|waymark-sql|node_modules|\.ts:\d|\/tmp\/|\/work\//gi;

/**
 * What an answer tells of the inside: a piece of SQL, a word of the driver, a path.
 *
 * @param given what the caller said itself and may read again
 */
export function findLeak(answer: string, given: string): string | undefined {
  const said = given.toLowerCase();
  const found = answer.match(words) ?? [];
  return found.find((word) => !said.includes(word.toLowerCase()));
}
