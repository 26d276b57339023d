import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { thinking } from './agents-application.ts';
import { declareClerk as declare, heard, say } from './agents-sessions.ts';

/** A file that is gone when the test is over. */
function databaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return `sqlite://${join(folder, 'desk.db')}`;
}

describe('sessions on a file', () => {
  it('survive a restart, with the runs and approvals in them', async () => {
    verifies('run.survives', 'session.key');
    const database = databaseFile();
    const first = await thinking(declare, { database });
    await say(first, 's', 'word-before');
    const waiting = await first.ask('clerk', {
      input: 'word-sold [[call sell {}]] [[say Sold.]]',
      session_id: 's',
    });
    const [{ approval_id: id } = { approval_id: '' }] = waiting.value.pending_approvals ?? [];
    await first.close();

    const second = await thinking(declare, { database });
    expect((await second.ask('clerk', { input: 'More.', session_id: 's' })).status).toBe(409);
    expect((await second.send('/_svc/approvals')).text).toContain(id);
    expect((await second.send(`/_svc/approvals/${id}`, { approve: true, note: '' })).value.output).toBe(
      'Sold.',
    );
    expect(await heard(second, 's')).toEqual(['word-before', 'word-sold']);
    expect((await second.send(`/agents/clerk/runs/${waiting.value.run_id}`)).value.output).toBe('Sold.');
  });
});
