import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCore } from '../lib/cores.ts';
import { runPinned } from '../lib/run-pinned.ts';

const root = join(import.meta.dirname, '../../..');

/** Milliseconds of CPU. */
export interface ImportCost {
  /** Of all that comes with it. */
  readonly whole: number;
  /** Of what it adds to a program that has the contract and HTTP already, as every server does. */
  readonly own: number;
}

/**
 * Measures what importing `@waymark/models` takes, each time in a new process, in the form in which it is published:
 * JavaScript, without types.
 *
 * @returns medians
 */
export async function measureImport(rounds: number): Promise<ImportCost> {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-import-'));
  try {
    for (const name of ['contract', 'models']) await buildInto(folder, name);
    for (const name of ['typebox', '@opentelemetry'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    const program = join(folder, 'measure.mjs');
    await writeFile(program, source);
    const costs: ImportCost[] = [];
    for (let i = 0; i < rounds; i++) {
      const whole = await run(program, ['@waymark/models']);
      const own = await run(program, ['node:http', 'node:https', '@waymark/contract', '@waymark/models']);
      costs.push({ whole, own });
    }
    return { whole: median(costs.map(({ whole }) => whole)), own: median(costs.map(({ own }) => own)) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Imports all of its arguments, and says what the last one took. */
const source = `let took;
for (const name of process.argv.slice(2)) {
  const before = process.cpuUsage();
  await import(name);
  took = process.cpuUsage(before);
}
console.log((took.user + took.system) / 1000);
`;

async function run(program: string, names: readonly string[]): Promise<number> {
  return Number(await runPinned(loadCore, [process.execPath, program, ...names]));
}

/** Puts a package where it is found by its name, as JavaScript. */
async function buildInto(folder: string, name: string): Promise<void> {
  const from = join(root, 'packages', name);
  const to = join(folder, 'node_modules/@waymark', name);
  await mkdir(to, { recursive: true });
  await cp(join(from, 'package.json'), join(to, 'package.json'));
  for (const file of await readdir(join(from, 'src'), { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || !file.name.endsWith('.ts')) continue;
    const target = join(to, 'dist', file.parentPath.slice(join(from, 'src').length));
    const text = await readFile(join(file.parentPath, file.name), 'utf8');
    await mkdir(target, { recursive: true });
    await writeFile(join(target, file.name.replace(/\.ts$/, '.js')), toJavaScript(text));
  }
}

function toJavaScript(text: string): string {
  return stripTypeScriptTypes(text).replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'");
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
