import type { ToldStep } from '@waymark/contract/runs';
import type { AuditRecord } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeSteps } from '../../src/feed/merge-steps.ts';

/** Times of clocks that are set at will. */
const ms = fc.integer({ min: -50, max: 50 });

/** What one look may find of one root: what was said of it in the order of the log, and its steps. */
const root = fc.record({
  begin: fc.constantFrom('run_started', 'run_forked', 'run_retried', undefined),
  said: fc.array(fc.constantFrom('approval_requested', 'run_waiting', 'tool_called'), { maxLength: 4 }),
  again: fc.boolean(),
  ends: fc.boolean(),
  steps: fc.array(fc.record({ child: fc.boolean(), at: ms, lasts: fc.nat(50) }), { maxLength: 8 }),
});

type Told = { readonly kind: string; readonly ofRoot: string };

describe('steps among what was said', () => {
  it('come after the begin of their run, by number, and before its end, whatever the clocks say', () => {
    verifies('feed.order');
    fc.assert(
      fc.property(
        fc.array(root, { minLength: 1, maxLength: 3 }),
        fc.infiniteStream(ms),
        fc.infiniteStream(fc.nat()),
        (roots, times, turns) => {
          const lines = roots.map(({ begin, said, again, ends }, r) => {
            const first = [...(begin ? [begin] : []), ...said, ...(ends || again ? ['run_finished'] : [])];
            const second = again ? ['run_retried', ...said, ...(ends ? ['run_finished'] : [])] : [];
            return [...first, ...second].map((kind) => ({ kind, ofRoot: `r${r}` }));
          });
          const said: Told[] = [];
          for (let all = lines.flat().length; all > 0; all--) {
            const open = lines.filter(({ length }) => length > 0);
            const next = open[(turns.next().value ?? 0) % open.length]?.shift();
            if (next) said.push(next);
          }
          const records = said.map(({ kind, ofRoot }, i) => ({
            n: i + 1,
            record: toRecord(kind, kind.startsWith('run_') ? ofRoot : `${ofRoot}.1`, times.next().value ?? 0),
          }));
          const steps = roots.flatMap((one, r) =>
            one.steps.map(({ child, at, lasts }, i) =>
              toStep(`r${r}`, child ? `r${r}.1` : `r${r}`, i + 1, at, lasts),
            ),
          );
          const told = mergeSteps(records, steps, { n: 0, id: '0' });
          // Everything is told once, the log in its order.
          expect(told).toHaveLength(records.length + steps.length);
          expect(told.filter(({ type }) => type !== 'step').map(({ place }) => place.n)).toEqual(
            records.map(({ n }) => n),
          );
          for (const [r, { steps: own, again, ends }] of roots.entries()) {
            const line = told.filter(({ data }) => String(data['run_id']).split('.')[0] === `r${r}`);
            expect(line.filter(({ type }) => type === 'step').map(({ data }) => data['seq'])).toEqual(
              own.map((_, i) => i + 1),
            );
            let goesOn = !['run_started', 'run_forked', 'run_retried'].includes(roots[r]?.begin ?? '');
            for (const { type, kind } of line) {
              if (type === 'step') expect(goesOn).toBe(true);
              else if (kind === 'run_finished') goesOn = false;
              else if (kind === 'run_started' || kind === 'run_forked' || kind === 'run_retried')
                goesOn = true;
            }
            if (ends) expect(line.at(-1)?.kind).toBe('run_finished');
            else if (again) expect(goesOn).toBe(true);
          }
        },
      ),
    );
  });

  it('stand by their times where those agree, also on both sides of an end that was no end', () => {
    const kinds = ['run_started', 'run_waiting', 'run_finished', 'run_retried', 'run_finished'];
    const records = kinds.map((kind, i) => ({ n: i + 1, record: toRecord(kind, 'r1', i * 10) }));
    const steps = [5, 15, 35].map((at, i) => toStep('r1', 'r1', i + 1, at, 1));
    const told = mergeSteps(records, steps, { n: 0, id: '0' }).map(({ type, kind, data }) =>
      type === 'step' ? data['seq'] : kind,
    );
    expect(told).toEqual([
      ...['run_started', 1, 'run_waiting', 2, 'run_finished'],
      ...['run_retried', 3, 'run_finished'],
    ]);
  });
});

function toRecord(kind: string, runId: string, atMs: number): AuditRecord {
  return { id: `${kind}-${runId}`, kind, at_ms: atMs, run_id: runId };
}

function toStep(rootId: string, runId: string, seq: number, atMs: number, lasts: number): ToldStep {
  return {
    ...{ seq, kind: 'tool_call', run_id: runId, root_run_id: rootId, agent: 'clerk' },
    ...{ at_ms: atMs, duration_ms: lasts },
  };
}
