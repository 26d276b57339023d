/** Has applications of this process keep their state in memory, unless somebody says where. @returns where it is kept */
export function keepInMemory(): string {
  process.env['WAYMARK_DATABASE_URL'] ??= ':memory:';
  return process.env['WAYMARK_DATABASE_URL'];
}
