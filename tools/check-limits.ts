// Every limit is told: `npm run limits` prints those that are not. A constant named like one (`max…`, `most…`, `kept…`,
// `longest…`, `largest…`) at the top of a file is imported by a `limits.ts`, which the security report reads, or it stands in
// limits.lock.json with the reason why no caller needs to know it.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A constant by its file and name: `packages/http/src/log/batched-output.ts maxWaiting`. */
type Place = string;

const named = /^(?:export )?const ((?:max|most|kept|longest|largest)[A-Z]\w*|maxDepth|largest) =/gm;
const imported = /import \{([^}]*)\} from '(\.[^']*|@waymark\/contract\/\w+)'/g;

/** Packages that never serve a caller: tools of tests, and code that runs elsewhere. */
const elsewhere = /^packages\/(?:model-simulator|client|client-gen)\/|\/testing\//;

const files = globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts']).filter(
  (file) => !elsewhere.test(file),
);
const inner = JSON.parse(readFileSync('tools/limits.lock.json', 'utf8')) as Readonly<Record<Place, string>>;
const found = new Set(files.flatMap(constantsOf));
const told = new Set(files.filter((file) => file.endsWith('/limits.ts')).flatMap(importsOf));

const untold = [...found].filter((place) => !told.has(place) && !Object.hasOwn(inner, place));
const gone = Object.keys(inner).filter((place) => !found.has(place) || told.has(place));
for (const place of untold)
  console.log(`  ${place}: tell it in a limits.ts, or say in tools/limits.lock.json why not`);
for (const place of gone)
  console.log(`  ${place}: is no more, or is told: take it out of tools/limits.lock.json`);
const wrong = untold.length + gone.length;
console.log(
  wrong === 0
    ? `limits: ok, ${told.size} told and ${found.size - told.size} inner ones`
    : `limits: ${wrong} to put right`,
);
process.exitCode = wrong === 0 ? 0 : 1;

function constantsOf(file: string): readonly Place[] {
  return [...readFileSync(file, 'utf8').matchAll(named)].map(([, name]) => `${file} ${name}`);
}

function importsOf(file: string): readonly Place[] {
  return [...readFileSync(file, 'utf8').matchAll(imported)].flatMap(([, names = '', from = '']) =>
    names.split(',').flatMap((given) => {
      const name = given.trim();
      if (from.startsWith('.')) return [`${relative('.', join(dirname(file), from))} ${name}`];
      return [...found].filter(
        (place) => place.startsWith('packages/contract/') && place.endsWith(` ${name}`),
      );
    }),
  );
}
