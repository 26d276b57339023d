import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from './run-node.ts';

/** One thing that a scenario looked at. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description?: string;
  readonly errorMessage?: string;
}

/** What a scenario found. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly checks: readonly Check[];
}

/** What a suite offers, and on which revisions: dates, or `extension`. */
export interface Offered {
  readonly scenario: string;
  readonly revisions: readonly string[];
}

/** Asks an installed suite what it can hold against a server. @param program its JavaScript file */
export async function offeredScenarios(program: string): Promise<readonly Offered[]> {
  const { stdout } = await runNode([program, 'list', '--server']);
  return [...stdout.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)].map(([, scenario = '', revisions = '']) => ({
    scenario,
    revisions: revisions.split(','),
  }));
}

/** Runs every scenario that a suite has for a revision, and reads what it wrote down. */
export async function runSuite(
  program: string,
  url: string,
  revision: string,
): Promise<readonly ScenarioResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    // It exits with 1 when anything failed, scenarios that do not apply included: only the files tell.
    await runNode([
      program,
      'server',
      '--url',
      url,
      '--suite',
      'all',
      '--spec-version',
      revision,
      '-o',
      folder,
    ]);
    const names = (await readdir(folder)).sort();
    return await Promise.all(
      names.map(async (name) => ({
        scenario: /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1] ?? name,
        checks: JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as readonly Check[],
      })),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
