import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../src/', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly '@waymark/source': string }>>;
};

/** Source files of the entries, by subpath. */
const entries = new Map(
  Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string' ? [] : [[subpath, join(source, '..', target['@waymark/source'])] as const],
  ),
);

/** What a folder loads stands above it. Types know each other both ways: a route has its engine, an engine is given the table. */
const levels: readonly (readonly string[])[] = [
  ['text'],
  ['schema', 'engine', 'http', 'stores', 'hub'],
  ['principal', 'models', 'declaring'],
  ['route'],
  ['tools', 'runs'],
  ['memory'],
  ['testing'],
];

describe('entries', () => {
  it('are the folders, and one for people who declare', () => {
    const folders = readdirSync(source).filter((name) => name !== 'index.ts');
    expect([...entries.keys()].sort()).toEqual(['.', ...folders.map((folder) => `./${folder}`)].sort());
  });

  it('have each name once', () => {
    const names = [...entries.values()].flatMap(namesOf);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('load typebox only where schemas are made or checked', () => {
    const loading = [...entries].filter(([, file]) => [...loaded(file)].some((one) => /^typebox/.test(one)));
    expect(loading.map(([subpath]) => subpath)).toEqual([
      '.',
      './route',
      './declaring',
      './schema',
      './tools',
      './runs',
    ]);
  });
});

describe('folders', () => {
  it('load only what stands above them', () => {
    const levelOf = (folder: string): number => levels.findIndex((level) => level.includes(folder));
    const upwards = [...entries.keys()]
      .filter((subpath) => subpath !== '.')
      .flatMap((subpath) => {
        const folder = subpath.slice('./'.length);
        const files = readdirSync(join(source, folder), { encoding: 'utf8', recursive: true });
        return files.filter(isFile).flatMap((name) =>
          importsOf(join(source, folder, name))
            .filter((target) => target.startsWith(source))
            .map((target) => relative(source, target).split('/')[0] ?? '')
            .filter((target) => target !== folder && levelOf(target) >= levelOf(folder))
            .map((target) => `${folder}/${name} → ${target}`),
        );
      });
    expect(upwards).toEqual([]);
  });
});

const isFile = (name: string): boolean => name.endsWith('.ts');

function namesOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(
    ([, list = '']) =>
      list
        .split(',')
        .map((name) => name.replace('type ', '').trim())
        .filter((name) => name !== ''),
  );
}

/** What a file loads when it runs; `import { type A }` loads, too. */
function importsOf(file: string): readonly string[] {
  const statements = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm,
  );
  return [...statements].map(([, specifier = '']) =>
    specifier.startsWith('.') ? join(dirname(file), specifier) : specifier,
  );
}

/** Everything that is loaded with a file. */
function loaded(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (file.startsWith(source)) for (const next of importsOf(file)) loaded(next, seen);
  return seen;
}
