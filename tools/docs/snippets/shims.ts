import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** From what was built, where that was: programs start in half the time. From the sources on a machine that builds nothing. */
function nodeOptions(): string {
  return conditions()
    .map((name) => `--conditions=${name}`)
    .join(' ');
}

/** What packages are looked for by, beside what everybody has. */
export function conditions(): readonly string[] {
  const isBuilt = process.env['PACKAGES'] === 'built' || process.env['PROGRAMS'] === 'built';
  return isBuilt ? [] : ['@waymark/source'];
}

/**
 * Writes the programs that a page calls, so that it runs against this repository: `npm create` writes an application,
 * `npm install` links what is installed here, and `waymark` asks the server of the page.
 *
 * @returns the folder of them, for the front of `PATH`
 */
export function writeShims(root: string, folder: string): string {
  const node = `"${process.execPath}" ${nodeOptions()}`;
  const link = `[ -e node_modules ] || ln -s "${root}/node_modules" node_modules`;
  const shims: Readonly<Record<string, string>> = {
    node: `exec ${node} "$@"`,
    npx: 'exec "$@"',
    waymark: `case "$1" in call|chat|tour|push)
  case " $* " in *" --url "*|*" --file "*) ;; *) set -- "$@" --url "http://127.0.0.1:$PORT" ;; esac ;;
esac
exec ${node} "${root}/apps/server/bin/waymark.js" "$@"`,
    npm: `command=$1; shift
case "$command" in
  create) shift; where=$1; shift; [ "$1" = -- ] && shift; waymark new "$where" "$@" ;;
  init) printf '{"name":"app","private":true,"type":"module"}' > package.json ;;
  install|ci) ${link} ;;
  test|start|run) [ "$command" = run ] && { command=$1; shift; }
    eval "$(${node} -e 'const{scripts:s}=require("./package.json");console.log([s["pre"+process.argv[1]],s[process.argv[1]]].filter(Boolean).join(" && "))' "$command") $*" ;;
  *) echo "npm $command is not known here" >&2; exit 64 ;;
esac`,
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(shims))
    writeFileSync(join(folder, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  return folder;
}
