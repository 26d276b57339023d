import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { programForm } from '../../tools/lib/program-form.ts';

const program = join(import.meta.dirname, 'runs/late-process.ts');

function outcomeOf(then: string) {
  const args = [...programForm, '--no-warnings', program, then];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const said = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const of = (word: string) => said.filter((one) => one['word'] === word);
  return {
    status,
    stderr,
    waits: of('waits'),
    logs: of('log'),
    heard: of('heard'),
    alive: of('alive').length,
  };
}

describe('a promise that a waiting run left behind, and that rejects', () => {
  it('is logged once with its run by the engine it belongs to, and the process goes on', () => {
    verifies('run.left-behind');
    const { status, stderr, waits, logs, alive } = outcomeOf('nothing');
    expect({ status, stderr, alive }).toEqual({ status: 0, stderr: '', alive: 1 });
    const expected = waits.map(({ engine, run_id }) => ({
      ...{ word: 'log', engine, level: 'warn', message: 'a run left a failure behind' },
      ...{ run_id, error: 'Error: too late' },
    }));
    expect(expected).toHaveLength(2);
    expect(logs.toSorted((a, b) => String(a['engine']).localeCompare(String(b['engine'])))).toEqual(expected);
  });

  it.each(['elsewhere', 'stopped'])('is the only one spared: one of nobody ends the process (%s)', (then) => {
    verifies('run.left-behind');
    const { status, stderr, logs, alive } = outcomeOf(then);
    expect({ status, alive }).toEqual({ status: 1, alive: 0 });
    expect(stderr).toContain('Error: of nobody');
    expect(logs).toHaveLength(2);
  });

  it('is not in the way of an application that listens itself', () => {
    const { status, heard, alive } = outcomeOf('listened');
    expect({ status, alive, heard: heard.length }).toEqual({ status: 0, alive: 1, heard: 1 });
  });
});
