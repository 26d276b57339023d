/** Whether what is written there may be coloured: a terminal that has colours, unless `NO_COLOR` or `FORCE_COLOR` says otherwise. */
export function hasColors(
  stream: { readonly isTTY?: boolean; hasColors?(): boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const { NO_COLOR: no = '', FORCE_COLOR: force } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return no === '' && stream.isTTY === true && stream.hasColors?.() === true;
}
